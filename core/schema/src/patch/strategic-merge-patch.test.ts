import type { JsonSchema } from '../structural-schema.ts';
import { describe, expect, it } from 'vitest';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    items: {
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          ports: {
            type: 'array',
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'port',
            items: { type: 'object' },
          },
        },
      },
    },
    words: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'string' } },
    plain: { type: 'array', items: {} },
    strategy: {
      type: 'object',
      'x-kubernetes-patch-strategy': 'retainKeys',
      properties: { type: { type: 'string' }, rolling: { type: 'object' } },
    },
    whole: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
  },
} as unknown as JsonSchema;

const patched = (document: object, patch: object) => applyStrategicMergePatch(schema, document, patch);

describe('a strategic merge patch', () => {
  it.each<[string, object, object, object]>([
    [
      'merges objects',
      { name: 'a', labels: { x: '1' } },
      { labels: { y: '2' } },
      { name: 'a', labels: { x: '1', y: '2' } },
    ],
    [
      'removes with null',
      { name: 'a', labels: { x: '1', y: '2' } },
      { labels: { x: null } },
      { name: 'a', labels: { y: '2' } },
    ],
    ['replaces lists without a strategy', { plain: [1, 2] }, { plain: [3] }, { plain: [3] }],
    ['joins lists of words', { words: ['a', 'b'] }, { words: ['b', 'c', 'c'] }, { words: ['a', 'b', 'c'] }],
    [
      'merges elements by key',
      { items: [{ name: 'a', v: 1 }, { name: 'b' }] },
      { items: [{ name: 'a', w: 2 }] },
      { items: [{ name: 'a', v: 1, w: 2 }, { name: 'b' }] },
    ],
    [
      'puts new elements before those it does not name',
      { items: [{ name: 'a' }] },
      { items: [{ name: 'b' }] },
      { items: [{ name: 'b' }, { name: 'a' }] },
    ],
    [
      'merges lists in lists',
      { items: [{ name: 'a', ports: [{ port: 1, x: 1 }] }] },
      { items: [{ name: 'a', ports: [{ port: 1, y: 2 }, { port: 2 }] }] },
      { items: [{ name: 'a', ports: [{ port: 1, x: 1, y: 2 }, { port: 2 }] }] },
    ],
    [
      'deletes elements',
      { items: [{ name: 'a' }, { name: 'b' }] },
      { items: [{ $patch: 'delete', name: 'a' }] },
      { items: [{ name: 'b' }] },
    ],
    [
      'deletes elements that are not there',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'delete', name: 'z' }] },
      { items: [{ name: 'a' }] },
    ],
    [
      'replaces a list on $patch: replace',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'replace' }, { name: 'b' }] },
      { items: [{ name: 'b' }] },
    ],
    [
      'replaces an object on $patch: replace',
      { labels: { x: '1' } },
      { labels: { $patch: 'replace', y: '2' } },
      { labels: { y: '2' } },
    ],
    ['empties an object on $patch: delete', { labels: { x: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    [
      'keeps only the retained keys',
      { strategy: { type: 'R', rolling: { x: 1 } } },
      { strategy: { $retainKeys: ['type'], type: 'S' } },
      { strategy: { type: 'S' } },
    ],
    ['takes words out', { words: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/words': ['a', 'c'] }, { words: ['b'] }],
    [
      'orders words',
      { words: ['a', 'b', 'c'] },
      { '$setElementOrder/words': ['c', 'a', 'b'] },
      { words: ['c', 'a', 'b'] },
    ],
    [
      'orders elements, and leaves others where they stood',
      { items: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] },
      { '$setElementOrder/items': [{ name: 'b' }, { name: 'a' }] },
      { items: [{ name: 'x' }, { name: 'b' }, { name: 'a' }] },
    ],
    [
      'adds, deletes and orders at once',
      { items: [{ name: 'a' }, { name: 'b' }] },
      {
        '$setElementOrder/items': [{ name: 'c' }, { name: 'b' }],
        items: [{ name: 'c' }, { $patch: 'delete', name: 'a' }],
      },
      { items: [{ name: 'c' }, { name: 'b' }] },
    ],
    ['replaces objects whose strategy says so', { whole: { a: 1 } }, { whole: { b: 2 } }, { whole: { b: 2 } }],
    ['joins words in its own order', { words: ['a'] }, { words: ['c', 'b'] }, { words: ['c', 'b', 'a'] }],
    [
      'has no use for directives and nulls in what is new',
      {},
      {
        labels: { $patch: 'replace', y: '2' },
        strategy: { type: 'S', rolling: null, x: [{ $patch: 'delete', name: 'a' }] },
      },
      { strategy: { type: 'S', x: [] } },
    ],
    [
      'replaces values of another type',
      { labels: 'x', words: {} },
      { labels: { a: '1' }, words: ['w'] },
      { labels: { a: '1' }, words: ['w'] },
    ],
    ['takes words of a list that is not there', {}, { '$deleteFromPrimitiveList/words': ['a'] }, {}],
    [
      'keeps elements that are there twice',
      {
        items: [
          { name: 'a', v: 1 },
          { name: 'a', v: 2 },
        ],
      },
      { items: [{ name: 'a', v: 3 }] },
      {
        items: [
          { name: 'a', v: 3 },
          { name: 'a', v: 2 },
        ],
      },
    ],
  ])('%s', (_, document, patch, expected) => {
    const before = JSON.stringify([document, patch]);
    expect(patched(document, patch)).toEqual(expected);
    expect(JSON.stringify([document, patch])).toBe(before);
  });

  it.each<[string, object, object, RegExp]>([
    [
      'an unknown directive',
      { labels: {} },
      { labels: { $patch: 'destroy' } },
      /^unknown patch type: destroy in map: map\[\$patch:destroy\]$/,
    ],
    [
      'an unknown directive in a list',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'destroy' }] },
      /^unknown patch type: destroy/,
    ],
    [
      'a request to merge a list',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'merge', name: 'a' }] },
      /^merging lists cannot yet be specified in the patch$/,
    ],
    [
      'an element without its key',
      { items: [{ name: 'a' }] },
      { items: [{ v: 1 }] },
      /^map: map\[v:1\] does not contain declared merge key: name$/,
    ],
    [
      'a deletion without a key',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'delete' }] },
      /does not contain declared merge key: name$/,
    ],
    [
      'elements of several types',
      { items: [{ name: 'a' }] },
      { items: [{ name: 'b' }, 'x'] },
      /^list element types are not identical: \[\[map\[name:a\]\] \[map\[name:b\] x\]\]$/,
    ],
    ['null among elements', { items: [{ name: 'a' }] }, { items: [null] }, /^list element types are not identical/],
    [
      'a list in a list',
      { words: ['a'] },
      { words: [['b']] },
      /^the server rejected our request due to an error in our request$/,
    ],
    [
      'an order that is no list',
      { words: ['a'] },
      { '$setElementOrder/words': 'a' },
      /^expected a \[\]interface \{\}, but received a string$/,
    ],
    [
      'an order for something that is no list',
      { labels: {} },
      { '$setElementOrder/labels': ['a'] },
      /but received a map\[string\]interface \{\}$/,
    ],
    [
      'an order that leaves out what is patched',
      { words: ['a'] },
      { words: ['b'], '$setElementOrder/words': ['a'] },
      /^The order in patch list:\n\[b\]\n doesn't match \$setElementOrder list:\n\[a\]\n$/,
    ],
    [
      'another order than it asks for',
      { words: ['a'] },
      { words: ['a', 'b'], '$setElementOrder/words': ['b', 'a'] },
      /^The order in patch list/,
    ],
    [
      'keys to retain that are no list',
      { strategy: {} },
      { strategy: { $retainKeys: 'type' } },
      /^invalid patch format of retainKeys$/,
    ],
    [
      'keys that it does not retain',
      { strategy: {} },
      { strategy: { $retainKeys: ['type'], rolling: {} } },
      /^invalid patch format of retainKeys$/,
    ],
  ])('with %s is refused', (_, document, patch, message) => {
    expect(() => patched(document, patch)).toThrow(message);
  });

  it('keeps __proto__ a name, in directives too', () => {
    const patch = JSON.parse(
      '{"__proto__":["polluted"],"$deleteFromPrimitiveList/__proto__":["x"],"$setElementOrder/__proto__":["polluted"],"labels":{"$retainKeys":["__proto__","constructor"],"constructor":"z"}}',
    ) as object;
    const document = JSON.parse('{"labels":{"__proto__":"a","other":"b"}}') as object;
    const result = patched(document, patch) as { labels: object };
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(result.labels)).toBe(Object.prototype);
    expect(Object.keys(result.labels)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('takes little time for long lists', () => {
    const items = Array.from({ length: 30_000 }, (_, i) => ({ name: `n${i}` }));
    const words = Array.from({ length: 30_000 }, (_, i) => `w${i}`);
    const start = process.cpuUsage();
    patched(
      { items, words },
      {
        items: items.map(({ name }, i) => (i % 3 === 0 ? { name, $patch: 'delete' } : { name, v: 1 })),
        words: words.toReversed(),
        '$setElementOrder/words': words.toReversed(),
        '$setElementOrder/items': items.filter((_, i) => i % 3 !== 0),
      },
    );
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  });
});
