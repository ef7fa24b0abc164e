import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheKey, isAtLeast } from './cached-object.ts';
import { Store } from './store.ts';

interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly colours: readonly string[];
}

function item(namespace: string, name: string, ...colours: string[]): Item {
  return { apiVersion: 'v1', kind: 'Item', metadata: namespace ? { namespace, name } : { name }, colours };
}

describe('the store', () => {
  it('finds objects by key, by namespace and by index', () => {
    const store = new Store<Item>();
    store.addIndex('colour', ({ colours }) => colours);
    store.set(item('a', 'x', 'red', 'blue'));
    store.set(item('b', 'x', 'red'));
    store.set(item('', 'node'));
    expect(store.get('a/x')?.colours).toEqual(['red', 'blue']);
    expect(store.get('node')?.metadata.name).toBe('node');
    expect(store.list('a').map(({ metadata }) => cacheKey(metadata))).toEqual(['a/x']);
    expect(store.list()).toHaveLength(3);
    expect(store.byIndex('colour', 'red')).toHaveLength(2);
    expect(store.byIndex('colour', 'green')).toEqual([]);
    expect(store.indexValues('colour')).toEqual(['red', 'blue']);
  });

  it('holds frozen objects, all the way down', () => {
    const store = new Store<Item>();
    store.set(item('a', 'x', 'red'));
    const found = store.get('a/x') as unknown as { colours: string[]; metadata: { name: string } };
    expect(() => found.colours.push('blue')).toThrow(TypeError);
    expect(() => Object.assign(found.metadata, { name: 'y' })).toThrow(TypeError);
  });

  it('gives pictures that later changes do not touch', () => {
    const store = new Store<Item>();
    store.set(item('a', 'x'));
    const before = store.list('a');
    store.delete('a/x');
    expect(before).toHaveLength(1);
  });

  it('refuses a second index by the same name, and questions to one that is not there', () => {
    const store = new Store<Item>();
    const colours = ({ colours }: Item) => colours;
    store.addIndex('colour', colours);
    store.addIndex('colour', colours);
    expect(() => store.addIndex('colour', () => [])).toThrow('another index "colour"');
    store.removeIndex('colour');
    expect(() => store.byIndex('colour', 'red')).toThrow('no index "colour"');
  });

  it('keeps an object for which an index function throws, and says so', () => {
    const errors: Error[] = [];
    const store = new Store<Item>((error) => errors.push(error));
    store.addIndex('first', ({ colours }) => [colours[0]?.toUpperCase() ?? fail()]);
    store.set(item('a', 'x', 'red'));
    store.set(item('a', 'x'));
    expect(store.get('a/x')?.colours).toEqual([]);
    expect(store.byIndex('first', 'RED')).toEqual([]);
    expect(errors.map(({ message }) => message)).toEqual(['the index first failed for a/x']);
  });

  it('has indexes that always agree with its objects, whatever is set, deleted, indexed and unindexed', () => {
    const namespace = fc.constantFrom('', 'a', 'b', '__proto__');
    const name = fc.constantFrom('x', 'y', 'z', 'constructor');
    const colour = fc.constantFrom('red', 'blue', '__proto__', 'toString');
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), namespace, name, colours: fc.array(colour, { maxLength: 3 }) }),
      fc.record({ do: fc.constant('delete' as const), namespace, name }),
      fc.record({ do: fc.constant('index' as const) }),
      fc.record({ do: fc.constant('unindex' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new Store<Item>();
        const model = new Map<string, Item>();
        let indexed = false;
        for (const step of steps) {
          if (step.do === 'index') {
            store.removeIndex('colour');
            store.addIndex('colour', ({ colours }) => colours);
            indexed = true;
          } else if (step.do === 'unindex') {
            store.removeIndex('colour');
            indexed = false;
          } else if (step.do === 'set') {
            const object = item(step.namespace, step.name, ...step.colours);
            store.set(object);
            model.set(cacheKey(object.metadata), object);
          } else {
            store.delete(cacheKey(step));
            model.delete(cacheKey(step));
          }
          const all = [...model.values()];
          expect(new Set(store.list())).toEqual(new Set(all));
          for (const namespace of ['', 'a', 'b', '__proto__'])
            expect(new Set(store.list(namespace))).toEqual(
              new Set(all.filter(({ metadata }) => (metadata.namespace ?? '') === namespace)),
            );
          if (!indexed) continue;
          for (const colour of ['red', 'blue', '__proto__', 'toString'])
            expect(new Set(store.byIndex('colour', colour))).toEqual(
              new Set(all.filter(({ colours }) => colours.includes(colour))),
            );
          expect(new Set(store.indexValues('colour'))).toEqual(new Set(all.flatMap(({ colours }) => colours)));
        }
      }),
    );
  });
});

describe('resource versions', () => {
  it.each([
    ['10', '9', true],
    ['9', '10', false],
    ['9', '9', true],
    ['18446744073709551616', '18446744073709551615', true],
    ['odd', '1', false],
    ['odd', 'odd', true],
  ])('%s is at least %s: %s', (a, b, expected) => {
    expect(isAtLeast(a, b)).toBe(expected);
  });
});

function fail(): never {
  throw new Error('no colour');
}
