import type { Answer } from '../operation.ts';

/** A place at which two answers differ. `undefined` where one of them has nothing. */
export interface Difference {
  readonly at: string;
  readonly reference: unknown;
  readonly subject: unknown;
}

const maxDifferences = 20;

/** The places at which two normalized answers differ, in the order of the reference. */
export function differencesOf(reference: Answer, subject: Answer): readonly Difference[] {
  const found: Difference[] = [];
  walk(reference, subject, '', found);
  return found;
}

function walk(reference: unknown, subject: unknown, at: string, found: Difference[]): void {
  if (found.length >= maxDifferences || Object.is(reference, subject)) return;
  if (Array.isArray(reference) && Array.isArray(subject)) {
    for (let index = 0; index < Math.max(reference.length, subject.length); index++)
      walk(reference[index], subject[index], `${at}/${index}`, found);
    return;
  }
  if (isObject(reference) && isObject(subject)) {
    for (const key of new Set([...Object.keys(reference), ...Object.keys(subject)]))
      walk(reference[key], subject[key], `${at}/${key}`, found);
    return;
  }
  found.push({ at, reference, subject });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
