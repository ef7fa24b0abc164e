import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from './ordered-map.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '\u{1f600}'), maxLength: 4 });
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, value: fc.nat() }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('range' as const), key, from: fc.option(key, { nil: undefined }) }),
);

describe('an ordered map', () => {
  it('is a sorted map, whatever is done to it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const map = new OrderedMap<number>();
        const model = new Map<string, number>();
        for (const action of steps) {
          if (action.do === 'set') {
            map.set(action.key, action.value);
            model.set(action.key, action.value);
          } else if (action.do === 'delete') expect(map.delete(action.key)).toBe(model.delete(action.key));
          else {
            const { key: prefix, from } = action;
            const expected = [...model]
              .filter(([name]) => name.startsWith(prefix) && (from === undefined || name >= from))
              .sort(([a], [b]) => (a < b ? -1 : 1));
            expect([...map.range(prefix, from)]).toEqual(expected);
          }
          expect(map.size).toBe(model.size);
        }
      }),
    );
  });

  it('stays in order through the splitting and emptying of its chunks', () => {
    const map = new OrderedMap<number>();
    const names = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(4, '0'));
    for (const name of names) map.set(name, Number(name));
    expect([...map.range('')].map(([name]) => name)).toEqual([...names].sort());
    for (const name of names) if (Number(name) % 5 !== 0) map.delete(name);
    expect([...map.range('')].map(([name]) => name)).toEqual(names.filter((name) => Number(name) % 5 === 0).sort());
    expect([...map.range('12')]).toHaveLength(20);
    expect(map.get('1205')).toBe(1205);
    expect(map.get('1206')).toBeUndefined();
  });
});
