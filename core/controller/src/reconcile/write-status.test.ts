import { equalJson } from '@tektite/meta';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeDifference } from './write-status.ts';

/** RFC 7386, as it is written there. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, apply(result.get(key), value));
  }
  return Object.fromEntries(result);
}

// A merge patch cannot say null, and Kubernetes drops it anyway.
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const status = fc.dictionary(fc.constantFrom('phase', 'nodes', '__proto__', 'x'), json, { maxKeys: 4 });

it('makes the new status of the old one', () => {
  fc.assert(
    fc.property(status, status, (before, after) => {
      expect(equalJson(apply(before, mergeDifference(before, after)), after)).toBe(true);
    }),
  );
});

it('sends nothing that did not change', () => {
  expect(mergeDifference({ a: 1, b: { c: 1, d: [1] } }, { a: 1, b: { c: 2, d: [1] } })).toEqual({ b: { c: 2 } });
  expect(mergeDifference({ a: 1, b: 2 }, { a: 1 })).toEqual({ b: null });
});
