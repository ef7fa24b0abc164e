import { decodeJson, jsonTypeName, mismatchText } from '@tektite/go';
import {
  badRequestError,
  expiredError,
  type FieldError,
  type FieldSelector,
  forbidden,
  notSupported,
  parseFieldSelector,
  parseLabelSelector,
  quoteGo,
  type Selector,
  StatusError,
} from '@tektite/meta';
import { invalidOptionsError, parseBoolean, parseInteger } from '../request/options.ts';

/** The parameters of a list or a watch. */
export interface ListParameters {
  readonly labelSelector: Selector;
  readonly fieldSelector: FieldSelector;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const matches = ['Exact', 'NotOlderThan', ''];

/** Reads and checks the parameters of a list (or, with `watch`, of a watch). */
export function parseListParameters(query: URLSearchParams, watch: boolean): ListParameters {
  const resourceVersion = query.get('resourceVersion') ?? '';
  const pageSize = parseInteger(query, 'limit') ?? 0;
  // Whatever is at hand is at hand as a whole: upstream's cache serves this without pages.
  const limit = resourceVersion === '0' ? 0 : pageSize;
  const timeoutSeconds = parseInteger(query, 'timeoutSeconds');
  const sendInitialEvents = query.get('sendInitialEvents');
  const bookmarks = query.get('allowWatchBookmarks');
  const parameters: ListParameters = {
    labelSelector: parseSelector(() => parseLabelSelector(query.get('labelSelector') ?? '')),
    fieldSelector: parseSelector(() => parseFieldSelector(query.get('fieldSelector') ?? '')),
    limit,
    continue: query.get('continue') ?? '',
    resourceVersion,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds,
    allowWatchBookmarks: bookmarks !== null && parseBoolean(bookmarks),
    sendInitialEvents: sendInitialEvents === null ? undefined : parseBoolean(sendInitialEvents),
  };
  const errors = watch ? checkWatch(parameters) : checkList(parameters);
  if (errors.length > 0) throw invalidOptionsError('ListOptions', errors);
  return parameters;
}

function parseSelector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequestError((error as Error).message);
  }
}

function checkWatch({
  resourceVersion,
  resourceVersionMatch: match,
  sendInitialEvents,
  continue: token,
}: ListParameters): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan')
      errors.push(
        forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
      );
  } else if (match !== '') {
    errors.push(
      forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  }
  if (match !== '' && match !== 'NotOlderThan')
    errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  // A watch from now on, or from anything at hand, counts as one that asks for the events before it.
  const asks = match !== '' || resourceVersion === '' || resourceVersion === '0';
  if (token !== '' && asks)
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function checkList({
  resourceVersion,
  resourceVersionMatch: match,
  sendInitialEvents,
  continue: token,
}: ListParameters): FieldError[] {
  const asksForEvents =
    sendInitialEvents === undefined ? [] : [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  return [...(match === '' ? [] : checkListMatch(match, resourceVersion, token)), ...asksForEvents];
}

function checkListMatch(match: string, resourceVersion: string, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceVersion === '')
    errors.push(
      forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  if (token !== '')
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (!matches.includes(match)) errors.push(notSupported('resourceVersionMatch', match, matches));
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/** Words of Go's number parser, which upstream lets through to the client. */
export function parseRevision(text: string): number {
  if (text === '') return 0;
  if (!/^[0-9]+$/.test(text)) throw new InvalidRevisionError(text, 'invalid syntax');
  if (BigInt(text) > maxUint64) throw new InvalidRevisionError(text, 'value out of range');
  return Number(text);
}

export class InvalidRevisionError extends Error {
  constructor(text: string, problem: 'invalid syntax' | 'value out of range') {
    super(`resourceVersion: Invalid value: ${quoteGo(text)}: strconv.ParseUint: parsing ${quoteGo(text)}: ${problem}`);
  }
}

const maxUint64 = 2n ** 64n - 1n;

/** Where a list continues, and of which revision it is a picture. */
export interface ContinueToken {
  readonly revision: number;
  /** The first key of the next page, relative to the list's prefix. */
  readonly start: string;
}

/** The wire form is upstream's; clients must treat it as opaque. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

export function decodeContinue(token: string): ContinueToken {
  const bad = (cause: string) => badRequestError(`invalid continue token: continue key is not valid: ${cause}`);
  const illegal = /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : undefined);
  if (illegal !== undefined) throw bad(`illegal base64 data at input byte ${illegal}`);
  let parsed: unknown;
  try {
    parsed = decodeJson(Buffer.from(token, 'base64url')).value;
  } catch (error) {
    throw bad((error as Error).message);
  }
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw bad(mismatchText(jsonTypeName(parsed), 'storage.continueToken'));
  const { v, rv, start } = (parsed ?? {}) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== 'meta.k8s.io/v1') throw bad(`server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    throw bad('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw bad('encoded start key empty (version meta.k8s.io/v1)');
  if (start.includes('..')) throw bad(start);
  return { revision: rv, start };
}

/** The list of a token has expired; `fresh` lets the client go on, with a gap in consistency. */
export function expiredContinueError(fresh: string): StatusError {
  const error = expiredError(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  return new StatusError({ ...error.status, metadata: { continue: fresh } } as StatusError['status']);
}

/** A client asks for a revision that this server has not reached. */
export function tooLargeRevisionError(revision: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${revision}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
