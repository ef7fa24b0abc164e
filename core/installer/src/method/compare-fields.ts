import { canonicalQuantity, type Json } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import type { Difference } from './install-method.ts';
import { byKey, isRecord, listKeys, propertySchema } from './keyed-list.ts';

/** Where in an object: for people, and for a patch. */
export interface FieldPlace {
  readonly path: string;
  readonly pointer: string;
}

/**
 * How `live` is not what is `wanted`, where what is wanted may leave out anything: a field that is not wanted may be whatever the
 * server or others made of it. Lists whose elements have keys have to have just the elements that are wanted, in their order.
 */
export function compareFields(
  wanted: unknown,
  live: unknown,
  schema: JsonSchema | undefined,
  place: FieldPlace,
): readonly Difference[] {
  if (wanted === undefined || wanted === null) return [];
  // The server does not keep what says nothing.
  if (live === undefined || live === null) return isNothing(wanted) ? [] : [{ path: place.path, why: 'missing' }];
  if (isRecord(wanted)) {
    if (!isRecord(live)) return [{ path: place.path, why: 'changed' }];
    return Object.keys(wanted).flatMap((key) =>
      compareFields(
        wanted[key],
        Object.hasOwn(live, key) ? live[key] : undefined,
        propertySchema(schema, key),
        fieldIn(place, key),
      ),
    );
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live)) return [{ path: place.path, why: 'changed' }];
    return compareLists(wanted, live, schema, place);
  }
  return isSameScalar(wanted, live, schema) ? [] : [{ path: place.path, why: 'changed' }];
}

/** The place of a field of an object. */
export function fieldIn({ path, pointer }: FieldPlace, key: string): FieldPlace {
  const step = /^[A-Za-z_][\w-]*$/.test(key) ? `${path === '' ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
  return { path: `${path}${step}`, pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

function elementIn({ path, pointer }: FieldPlace, index: number): FieldPlace {
  return { path: `${path}[${index}]`, pointer: `${pointer}/${index}` };
}

function compareLists(
  wanted: readonly unknown[],
  live: readonly unknown[],
  schema: JsonSchema | undefined,
  place: FieldPlace,
): readonly Difference[] {
  const keys = listKeys(schema);
  const wantedKeys = keys && byKey(wanted, keys, schema);
  const liveKeys = keys && byKey(live, keys, schema);
  if (!wantedKeys || !liveKeys) {
    if (wanted.length !== live.length) return [{ path: place.path, why: 'changed' }];
    return wanted.flatMap((each, index) => compareFields(each, live[index], schema?.items, elementIn(place, index)));
  }
  const others = [...wantedKeys].flatMap(([key, index]): readonly Difference[] => {
    const at = liveKeys.get(key);
    if (at === undefined) return [{ path: elementIn(place, index).path, why: 'missing' }];
    return compareFields(wanted[index], live[at], schema?.items, elementIn(place, at));
  });
  const kept = [...wantedKeys.keys()].flatMap((key) => liveKeys.get(key) ?? []);
  const isOrdered = kept.every((at, index) => index === 0 || at > (kept[index - 1] as number));
  if (kept.length === live.length && isOrdered) return others;
  const list: Difference = {
    path: place.path,
    why: kept.length === live.length ? 'order' : 'extra',
    patch: { op: 'replace', path: place.pointer, value: kept.map((at) => live[at]) as Json },
  };
  // Places inside of the list are others then: what is to be patched there comes next time.
  return [list, ...others.map(({ path, why }) => ({ path, why }))];
}

function isSameScalar(wanted: unknown, live: unknown, schema: JsonSchema | undefined): boolean {
  if (wanted === live) return true;
  return schema?.format === 'quantity' && quantityOf(wanted) === quantityOf(live);
}

function quantityOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  try {
    return canonicalQuantity(value);
  } catch {
    return String(value);
  }
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.values(value).every((each) => each === null || each === undefined);
  return value === '' || value === 0 || value === false;
}
