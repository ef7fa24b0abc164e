import { stringifyJson } from '@tektite/meta';

/**
 * The identity of an element. Lists may be long, so elements are found by this text and not by comparing each with
 * each.
 */
export type KeyOf = (item: unknown) => string;

export function textOf(value: unknown): string {
  return stringifyJson(value);
}

/** Joins two lists of texts or numbers; each comes once, those of the patch in its order. */
export function mergeWords(original: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  const distinct = new Map([...original, ...patch].map((word) => [textOf(word), word]));
  return inOrder([...distinct.values()], patch, original, textOf);
}

export function withoutWords(list: readonly unknown[], words: readonly unknown[]): readonly unknown[] {
  const gone = new Set(words.map(textOf));
  return list.filter((word) => !gone.has(textOf(word)));
}

/**
 * Orders a merged list as upstream does: the elements that are named come in the order of the names; one that is not goes
 * before a named one exactly when both stood that way in the original, and to the end otherwise.
 */
export function inOrder(
  merged: readonly unknown[],
  names: readonly unknown[],
  original: readonly unknown[],
  keyOf: KeyOf,
): readonly unknown[] {
  const wanted = firstPlaces(names, keyOf);
  const before = firstPlaces(original, keyOf);
  const named: { readonly item: unknown; readonly place: number }[] = [];
  const others: unknown[] = [];
  for (const item of merged) {
    const place = wanted.get(keyOf(item));
    if (place === undefined) others.push(item);
    else named.push({ item, place });
  }
  named.sort((a, b) => a.place - b.place);
  const result: unknown[] = [];
  let next = 0;
  for (const { item } of named) {
    const stood = before.get(keyOf(item));
    if (stood !== undefined) {
      const isBefore = (other: unknown) => (before.get(keyOf(other)) ?? Number.POSITIVE_INFINITY) < stood;
      while (next < others.length && isBefore(others[next])) result.push(others[next++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Where the first element with each key stands. */
function firstPlaces(list: readonly unknown[], keyOf: KeyOf): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}
