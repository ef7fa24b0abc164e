import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeBody } from './encode-body.ts';

const text = (object: unknown, url = '/') => [...encodeBody(object, 'json', url)].join('');

it('encodes lists in pieces that are the same text as in one', () => {
  const item = fc.record({
    metadata: fc.record({ name: fc.string() }),
    data: fc.option(fc.jsonValue(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60, size: 'max' }), fc.constantFrom('items', 'rows'), (items, field) => {
      const list = {
        kind: 'List',
        apiVersion: 'v1',
        metadata: { resourceVersion: '1' },
        none: undefined,
        [field]: items,
      };
      expect(text(list)).toBe(`${JSON.stringify(list)}\n`);
    }),
  );
});

it('makes pieces of a long list that are small', () => {
  const items = Array.from({ length: 1000 }, (_, i) => ({ name: `${i}`, fill: 'x'.repeat(1000) }));
  const pieces = [...encodeBody({ kind: 'List', items }, 'json', '/')];
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
});

it('indents when asked, and speaks YAML', () => {
  expect(text({ a: 1 }, '/x?pretty=true')).toBe('{\n  "a": 1\n}\n');
  expect([...encodeBody({ a: 1 }, 'yaml', '/')].join('')).toBe('a: 1\n');
});
