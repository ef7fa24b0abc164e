import type { FilterEnvironment } from '../filter/environments.ts';
import { FilterError, parseFilter } from '../filter/translate.ts';
import type { ListQuery, OrderColumn } from '../storage/storage.ts';
import { decode, encode } from '../wire/binary.ts';
import { type ListRequest, type PageToken, pageTokenType } from '../wire/messages.ts';
import { ApiError, codes, invalidArgument } from './api-error.ts';

const defaultPageSize = 50;
const minPageSize = 5;
const maxPageSize = 10_000;

type OrderColumns = Readonly<Record<string, OrderColumn>>;

export const recordOrders: OrderColumns = { create_time: 'created_time', update_time: 'updated_time' };

export const resultOrders: OrderColumns = {
  ...recordOrders,
  'summary.start_time': 'recordsummary_start_time',
  'summary.end_time': 'recordsummary_end_time',
};

interface Order {
  readonly column: OrderColumn;
  readonly field: string;
  readonly descending: boolean;
}

/** A list as it is asked for, and the token of the page after it. */
export interface ListPlan {
  readonly query: Pick<ListQuery, 'filter' | 'order' | 'after' | 'limit'>;
  /** The token that continues behind an item. */
  token(uid: string, valueOf: (field: string) => number | undefined): string;
}

/** Reads what a list asks for; texts of errors are upstream's. */
export function planList(request: ListRequest, environment: FilterEnvironment, orders: OrderColumns): ListPlan {
  const [parent, text] = [request.parent?.trim() ?? '', request.filter?.trim() ?? ''];
  const token = readToken(request.page_token?.trim() ?? '');
  if (token && (token.parent ?? '') !== parent)
    throw invalidArgument(
      `invalid page token: provided parent (${parent}) differs from the parent used in the previous query (${token.parent ?? ''})`,
    );
  const order = readOrder(request.order_by?.trim() ?? '', orders);
  const limit = request.page_size || defaultPageSize;
  if (token) checkToken(token, text, order);
  const filter = readFilter(text, environment);
  if (limit < minPageSize || limit > maxPageSize)
    throw invalidArgument(
      `invalid page size (${limit}): value must be greater than ${minPageSize} and less than ${maxPageSize}`,
    );
  const { column, field, descending } = order;
  const last = token?.last_item;
  const value = last?.order_by?.value;
  return {
    query: {
      order: { column, descending },
      limit,
      ...(filter ? { filter } : {}),
      ...(last ? { after: { id: last.uid ?? '', ...(value === undefined ? {} : { value }) } } : {}),
    },
    token: (uid, valueOf) => writeToken({ parent, filter: text, last_item: itemOf(uid, order, valueOf(field)) }),
  };
}

export function readFilter(text: string, environment: FilterEnvironment): ListQuery['filter'] {
  try {
    return parseFilter(text, environment);
  } catch (error) {
    if (error instanceof FilterError) throw invalidArgument(error.message);
    throw error;
  }
}

function itemOf(
  uid: string,
  { field, descending }: Order,
  value: number | undefined,
): NonNullable<PageToken['last_item']> {
  if (field === '') return { uid };
  return {
    uid,
    order_by: { field_name: field, direction: descending ? 1 : 0, ...(value === undefined ? {} : { value }) },
  };
}

function writeToken(token: PageToken): string {
  return encode(pageTokenType, token).toString('base64url');
}

function readToken(text: string): PageToken | undefined {
  if (text === '') return undefined;
  const illegal = /[^A-Za-z0-9_-]/.exec(text);
  if (illegal || text.length % 4 === 1)
    throw invalidArgument(`illegal base64 data at input byte ${illegal?.index ?? text.length - 1}`);
  try {
    return decode(pageTokenType, Buffer.from(text, 'base64url'));
  } catch (error) {
    throw new ApiError(codes.internal, (error as Error).message);
  }
}

function checkToken(token: PageToken, filter: string, { field, descending }: Order): void {
  const { last_item: last } = token;
  const wrong = (text: string) => invalidArgument(`invalid page token: ${text}`);
  if (!last) throw wrong('last_item: missing required field');
  if (!last.uid) throw wrong('last_item.uid: missing required field');
  if ((token.filter ?? '').trim() !== filter)
    throw wrong(
      `the provided filter differs from the filter used in the previous query\nexpected: ${token.filter ?? ''}\ngot: ${filter}`,
    );
  if (field === '') return;
  if (!last.order_by) throw wrong('last_item.order_by: missing required field');
  const [was, now] = [last.order_by.direction === 1 ? 'DESC' : 'ASC', descending ? 'DESC' : 'ASC'];
  const wasField = last.order_by.field_name ?? '';
  if (wasField !== field || was !== now)
    throw wrong(
      `the provided order by clause differs from the value passed in the previous query\nexpected: ${wasField} ${was}\ngot: ${field} ${now}`,
    );
}

function readOrder(text: string, orders: OrderColumns): Order {
  if (text === '') return { column: 'id', field: '', descending: false };
  const explanation = `the value must obey the format <${Object.keys(orders).sort().join('|')}> [asc|desc]`;
  const [, field, direction = 'ASC'] = /^([\w.]+)\s*(ASC|asc|DESC|desc)?$/.exec(text) ?? [];
  if (field === undefined) throw invalidArgument(`invalid order by statement:\n${explanation}`);
  const column = Object.hasOwn(orders, field) ? orders[field] : undefined;
  if (column === undefined)
    throw invalidArgument(`${field}: field is unknown or cannot be used in the order by clause\n${explanation}`);
  return { column, field, descending: direction.toUpperCase() === 'DESC' };
}
