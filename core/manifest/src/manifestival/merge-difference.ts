import { equalJson } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { childOf, isMapping } from '../field-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch that makes one object another; undefined when they are the same. Lists with keys show only what differs. */
export function compareMerge(before: Fields, after: Fields, schema: JsonSchema | undefined): Fields | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [childOf(before, key), childOf(after, key)];
    if (equalJson(old, now)) continue;
    const property = childOf(schema?.properties, key) as JsonSchema | undefined;
    const value =
      now === undefined
        ? null
        : isMapping(old) && isMapping(now)
          ? compareMerge(old, now, property)
          : Array.isArray(old) && Array.isArray(now)
            ? compareLists(old, now, property)
            : now;
    Object.defineProperty(patch, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function compareLists(before: readonly unknown[], after: readonly unknown[], schema: JsonSchema | undefined): unknown {
  const key = schema?.['x-kubernetes-patch-merge-key'];
  if (key === undefined || !after.every(isMapping) || !before.every(isMapping)) return after;
  const items = isMapping(schema?.items) ? (schema.items as JsonSchema) : undefined;
  const changed = after.flatMap((each) => {
    const old = before.find((other) => other[key] === each[key]);
    const patch = old ? compareMerge(old, each, items) : each;
    return patch ? [{ ...patch, [key]: each[key] }] : [];
  });
  const gone = before
    .filter((each) => !after.some((other) => other[key] === each[key]))
    .map((each) => ({ $patch: 'delete', [key]: each[key] }));
  return [...changed, ...gone];
}
