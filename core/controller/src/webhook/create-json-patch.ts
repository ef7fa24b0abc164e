import type { JsonPatchOperation } from '@tektite/client';
import { equalJson } from '@tektite/meta';

type Json = Readonly<Record<string, unknown>>;

/** API servers take no more than ten thousand steps; long before that, whole fields are cheaper. */
const maxOperations = 1000;

/**
 * The JSON patch (RFC 6902) that makes `after` of `before`. Untouched parts do not appear; of lists only the part
 * between the common beginning and the common end is compared, so an element that is inserted costs one step.
 *
 * @example createJsonPatch({ spec: {} }, { spec: { size: 1 } }); // [{ op: 'add', path: '/spec/size', value: 1 }]
 */
export function createJsonPatch(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const fine = new PatchWriter(Number.POSITIVE_INFINITY);
  fine.compare(before, after, '');
  if (fine.operations.length <= maxOperations) return fine.operations;
  const coarse = new PatchWriter(1);
  coarse.compare(before, after, '');
  return coarse.operations;
}

class PatchWriter {
  readonly operations: JsonPatchOperation[] = [];
  private readonly maxDepth: number;

  /** Differences below `maxDepth` are not compared: the value there is replaced. */
  constructor(maxDepth: number) {
    this.maxDepth = maxDepth;
  }

  compare(before: unknown, after: unknown, path: string, depth = 0): void {
    if (before === after) return;
    if (depth < this.maxDepth && isMap(before) && isMap(after)) this.compareMaps(before, after, path, depth);
    else if (depth < this.maxDepth && Array.isArray(before) && Array.isArray(after))
      this.compareLists(before, after, path, depth);
    else if (!equalJson(before, after)) this.operations.push({ op: 'replace', path, value: after });
  }

  private compareMaps(before: Json, after: Json, path: string, depth: number): void {
    for (const key of Object.keys(before))
      if (before[key] !== undefined && ownValue(after, key) === undefined)
        this.operations.push({ op: 'remove', path: `${path}/${escapePointer(key)}` });
    for (const key of Object.keys(after)) {
      const value = after[key];
      const old = ownValue(before, key);
      if (value === undefined || old === value) continue;
      const place = `${path}/${escapePointer(key)}`;
      if (old === undefined) this.operations.push({ op: 'add', path: place, value });
      else this.compare(old, value, place, depth + 1);
    }
  }

  private compareLists(before: readonly unknown[], after: readonly unknown[], path: string, depth: number): void {
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && equalJson(before[start], after[start])) start++;
    let same = 0;
    while (same < shorter - start && equalJson(before.at(-1 - same), after.at(-1 - same))) same++;
    const both = shorter - start - same;
    for (let at = start; at < start + both; at++) this.compare(before[at], after[at], `${path}/${at}`, depth + 1);
    // From the end, so that the places of the others stay what they are.
    for (let at = before.length - same - 1; at >= start + both; at--)
      this.operations.push({ op: 'remove', path: `${path}/${at}` });
    for (let at = start + both; at < after.length - same; at++)
      this.operations.push({ op: 'add', path: `${path}/${at}`, value: after[at] });
  }
}

/** A segment of a JSON pointer (RFC 6901). */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function ownValue(map: Json, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
