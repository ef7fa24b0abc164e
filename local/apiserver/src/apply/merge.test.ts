import type { JsonSchema } from '@tektite/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTyped } from './check-typed.ts';
import { compare } from './compare.ts';
import { type FieldSet, isEmptySet, membersOf, setOf, unionSets } from './field-set.ts';
import { merge } from './merge.ts';
import { formatFieldPath } from './path-element.ts';
import { removeFields } from './remove.ts';
import { toFieldSet } from './to-field-set.ts';

const text: JsonSchema = { type: 'string' };
const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: text,
    number: { type: 'integer' },
    struct: { type: 'object', properties: { a: text, b: text, deep: { type: 'object', properties: { c: text } } } },
    atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
    map: { type: 'object', additionalProperties: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    list: { type: 'array', items: text },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: text, value: text, extra: text } },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
      },
    },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
  },
} as JsonSchema;

const paths = (set: FieldSet) => [...membersOf(set)].map(formatFieldPath).sort();

describe('the fields of a configuration', () => {
  it.each<[string, object, string[]]>([
    ['leaves', { name: 'x', number: 1 }, ['.name', '.number']],
    ['fields of structs, not the structs', { struct: { a: '1', deep: { c: '2' } } }, ['.struct.a', '.struct.deep.c']],
    ['structs that are empty', { struct: { deep: {} } }, ['.struct.deep']],
    ['maps and their entries', { map: { x: '1', y: '2' } }, ['.map.x', '.map.y']],
    ['atomic objects as a whole', { atomic: { a: '1', b: '2' } }, ['.atomic']],
    ['atomic lists as a whole', { list: ['a', 'b'] }, ['.list']],
    ['elements of sets', { set: ['a', 'b'] }, ['.set[="a"]', '.set[="b"]']],
    [
      'elements of list-maps, and their fields',
      { keyed: [{ name: 'a', value: '1' }] },
      ['.keyed[name="a"]', '.keyed[name="a"].name', '.keyed[name="a"].value'],
    ],
    [
      'keys that have a default',
      { ports: [{ port: 80 }] },
      ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
    ],
    ['null', { name: null, struct: null }, ['.name', '.struct']],
    ['empty lists that are owned as a whole', { set: [], keyed: [], list: [] }, ['.list']],
    [
      'what the schema knows nothing of, field by field',
      { anything: { a: { b: [1] } } },
      ['.anything.a', '.anything.a.b'],
    ],
  ])('are %s', (_, object, expected) => {
    expect(paths(toFieldSet(schema, object))).toEqual(expected);
  });
});

describe('a comparison', () => {
  it.each<[string, object, object, { added?: string[]; modified?: string[]; removed?: string[] }]>([
    ['of equals is empty', { name: 'x', set: ['a'] }, { set: ['a'], name: 'x' }, {}],
    ['finds changed leaves', { name: 'x' }, { name: 'y' }, { modified: ['.name'] }],
    [
      'finds what came and went, with what is below',
      { struct: { a: '1' } },
      { map: { k: 'v' } },
      { added: ['.map', '.map.k'], removed: ['.struct', '.struct.a'] },
    ],
    ['takes atomic objects as a whole', { atomic: { a: '1' } }, { atomic: { b: '1' } }, { modified: ['.atomic'] }],
    ['takes plain lists as a whole', { list: ['a', 'b'] }, { list: ['b', 'a'] }, { modified: ['.list'] }],
    ['does not care for the order of sets', { set: ['a', 'b'] }, { set: ['b', 'a'] }, {}],
    [
      'follows the elements of list-maps by key',
      { keyed: [{ name: 'a', value: '1' }, { name: 'b' }] },
      { keyed: [{ name: 'c' }, { name: 'a', value: '2' }] },
      {
        added: ['.keyed[name="c"]', '.keyed[name="c"].name'],
        modified: ['.keyed[name="a"].value'],
        removed: ['.keyed[name="b"]', '.keyed[name="b"].name'],
      },
    ],
    [
      'takes duplicates together',
      {
        keyed: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
      },
      { keyed: [{ name: 'a', value: '1' }] },
      { modified: ['.keyed[name="a"]'] },
    ],
    ['knows null from absence', { name: null }, {}, { removed: ['.name'] }],
    [
      'finds fields with the names of everything objects have',
      { map: { constructor: 'x', hasOwnProperty: 'same' } },
      { map: { toString: 'y', hasOwnProperty: 'same' } },
      { added: ['.map.toString'], removed: ['.map.constructor'] },
    ],
    [
      'finds a field named __proto__',
      JSON.parse('{"map":{"a":"1"}}') as object,
      JSON.parse('{"map":{"a":"1","__proto__":"x"}}') as object,
      { added: ['.map.__proto__'] },
    ],
  ])('%s', (_, before, after, { added = [], modified = [], removed = [] }) => {
    const found = compare(schema, before, after);
    expect({ added: paths(found.added), modified: paths(found.modified), removed: paths(found.removed) }).toEqual({
      added,
      modified,
      removed,
    });
  });
});

describe('merging', () => {
  it.each<[string, object, object, object]>([
    ['keeps what is not mentioned', { name: 'x', number: 1 }, { number: 2 }, { name: 'x', number: 2 }],
    ['goes into structs', { struct: { a: '1', b: '2' } }, { struct: { b: '3' } }, { struct: { a: '1', b: '3' } }],
    ['replaces atomic objects', { atomic: { a: '1' } }, { atomic: { b: '2' } }, { atomic: { b: '2' } }],
    ['replaces plain lists', { list: ['a', 'b'] }, { list: ['c'] }, { list: ['c'] }],
    ['joins sets', { set: ['a', 'b'] }, { set: ['c', 'b'] }, { set: ['a', 'c', 'b'] }],
    [
      'joins list-maps by key, in the order of the configuration',
      { keyed: [{ name: 'a', value: '1' }, { name: 'x' }, { name: 'b', value: '1' }] },
      { keyed: [{ name: 'b', value: '2' }, { name: 'a' }] },
      { keyed: [{ name: 'x' }, { name: 'b', value: '2' }, { name: 'a', value: '1' }] },
    ],
    [
      'distinguishes elements with a defaulted key from others',
      { ports: [{ port: 80, name: 'a' }] },
      {
        ports: [
          { port: 80, protocol: 'UDP', name: 'b' },
          { port: 80, protocol: 'TCP', name: 'c' },
        ],
      },
      {
        ports: [
          { port: 80, protocol: 'UDP', name: 'b' },
          { port: 80, protocol: 'TCP', name: 'c' },
        ],
      },
    ],
    ['sets null', { name: 'x' }, { name: null }, { name: null }],
    ['replaces what is of another form', { anything: { a: 1 } }, { anything: [1] }, { anything: [1] }],
    [
      'keeps fields with odd names',
      { map: { constructor: 'x' } },
      { map: { toString: 'y' } },
      { map: { constructor: 'x', toString: 'y' } },
    ],
  ])('%s', (_, live, config, expected) => {
    expect(merge(schema, live, config)).toEqual(expected);
  });

  it('keeps __proto__ a field', () => {
    const merged = merge(schema, { map: { a: '1' } }, JSON.parse('{"map":{"__proto__":"x"}}')) as { map: object };
    expect(Object.keys(merged.map)).toEqual(['a', '__proto__']);
    expect(Object.getPrototypeOf(merged.map)).toBe(Object.prototype);
    const left = removeFields(schema, merged, setOf(['f:map', 'f:a'])) as { map: object };
    expect(Object.keys(left.map)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(left.map)).toBe(Object.prototype);
  });
});

describe('removing fields', () => {
  it.each<[string, object, FieldSet, object | undefined]>([
    ['takes members', { name: 'x', number: 1 }, setOf(['f:name']), { number: 1 }],
    [
      'leaves null where all content went',
      { name: 'x', map: { a: '1' } },
      setOf(['f:map', 'f:a']),
      { name: 'x', map: null },
    ],
    [
      'takes containers that are members themselves',
      { name: 'x', map: { a: '1' } },
      setOf(['f:map'], ['f:map', 'f:a']),
      { name: 'x' },
    ],
    [
      'leaves what is below something that is not a member',
      { struct: { a: '1', b: '2' } },
      setOf(['f:struct', 'f:a']),
      { struct: { b: '2' } },
    ],
    ['takes elements of sets', { set: ['a', 'b'] }, setOf(['f:set', 'v:"a"']), { set: ['b'] }],
    [
      'takes elements of list-maps',
      { keyed: [{ name: 'a' }, { name: 'b' }] },
      setOf(['f:keyed', 'k:{"name":"a"}']),
      { keyed: [{ name: 'b' }] },
    ],
    ['does not mind what is not there', { name: 'x' }, setOf(['f:map', 'f:a'], ['f:other']), { name: 'x' }],
    ['leaves nothing of an object that has nothing else', { name: 'x' }, setOf(['f:name']), undefined],
  ])('%s', (_, object, set, expected) => {
    expect(removeFields(schema, object, set)).toEqual(expected);
  });
});

describe('a configuration that does not fit', () => {
  it.each<[string, object, string[]]>([
    ['fits', { name: 'x', keyed: [{ name: 'a' }], anything: { b: [1] } }, []],
    [
      'has unknown fields, the first of which ends the check of an object',
      { struct: { z: 1 }, other: 1, more: 1 },
      ['.struct.z: field not declared in schema', '.other: field not declared in schema'],
    ],
    ['has values of another type', { name: 1 }, ['.name: expected string, got &value.valueUnstructured{Value:1}']],
    [
      'has an element twice',
      { keyed: [{ name: 'a' }, { name: 'a' }] },
      ['.keyed: duplicate entries for key [name="a"]'],
    ],
    ['has a value twice', { set: ['a', 'a'] }, ['.set: duplicate entries for key [="a"]']],
    [
      'has elements without keys',
      { keyed: [{ value: 'x' }] },
      [
        '.keyed: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
      ],
    ],
    [
      'has elements that are no objects',
      { keyed: ['x'] },
      ['.keyed: element 0: associative list with keys may not have non-map elements'],
    ],
  ])('is rejected: it %s', (_, config, expected) => {
    expect(checkTyped(schema, config)).toEqual(expected);
  });
});

/** Objects of the schema above, small enough to have things in common. */
const word = fc.constantFrom('1', '2');
const uniqueBy = <T>(arbitrary: fc.Arbitrary<T>, selector: (value: T) => unknown) =>
  fc.uniqueArray(arbitrary, { maxLength: 3, selector });
const element = fc.record(
  { name: fc.constantFrom('a', 'b', 'c', 'd'), value: word, extra: word },
  { requiredKeys: ['name'] },
);
const object = fc.record(
  {
    name: word,
    struct: fc.record({ a: word, b: word, deep: fc.record({ c: word }, { requiredKeys: [] }) }, { requiredKeys: [] }),
    atomic: fc.record({ a: word, b: word }, { requiredKeys: [] }),
    map: fc.dictionary(fc.constantFrom('x', 'y', 'constructor'), word),
    set: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
    list: fc.array(word, { maxLength: 2 }),
    keyed: uniqueBy(element, ({ name }) => name),
  },
  { requiredKeys: [] },
);

describe('whatever the objects are', () => {
  const differs = ({ added, modified, removed }: ReturnType<typeof compare>) =>
    ![added, modified, removed].every(isEmptySet);

  it('an object compares equal to itself and to itself merged with itself', () => {
    fc.assert(
      fc.property(object, (value) => {
        expect(differs(compare(schema, value, structuredClone(value)))).toBe(false);
        expect(merge(schema, value, value)).toEqual(value);
      }),
    );
  });

  it('merging twice is merging once, and everything configured is there', () => {
    fc.assert(
      fc.property(object, object, (live, config) => {
        const once = merge(schema, live, config);
        expect(merge(schema, once, config)).toEqual(once);
        const missing = [...membersOf(toFieldSet(schema, config))].filter(
          (path) => ![...membersOf(toFieldSet(schema, once))].some((other) => other.join() === path.join()),
        );
        // An empty list or object that meets one with content is the only thing that can vanish.
        for (const path of missing) {
          const value = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step.slice(2)], config);
          expect([[], {}]).toContainEqual(value);
        }
      }),
    );
  });

  it('what a comparison calls added and modified is what the new object sets and the old one does not have so', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const { added, modified, removed } = compare(schema, before, after);
        const back = compare(schema, after, before);
        expect(paths(back.removed)).toEqual(paths(added));
        expect(paths(back.added)).toEqual(paths(removed));
        expect(paths(back.modified)).toEqual(paths(modified));
      }),
    );
  });

  it('removing what was added gives back what differs in nothing but values', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const { added } = compare(schema, before, after);
        const reduced = removeFields(schema, after, added) ?? {};
        expect(paths(compare(schema, before, reduced).added)).toEqual([]);
      }),
    );
  });

  it('removing all fields of an object leaves nothing', () => {
    fc.assert(
      fc.property(object, (value) => {
        const everything = unionSets(toFieldSet(schema, value), compare(schema, {}, value).added);
        expect(removeFields(schema, value, everything) ?? {}).toEqual({});
      }),
    );
  });
});
