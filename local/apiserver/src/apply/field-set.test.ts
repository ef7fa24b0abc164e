import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptySet,
  type FieldSet,
  FieldSetBuilder,
  intersectSets,
  orderedSet,
  isEmptySet,
  membersOf,
  setOf,
  subtractSets,
  subtractTrees,
  unionSets,
  withNamedFields,
} from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

const text = (set: FieldSet) => [...membersOf(set)].map((member) => member.join('|'));
const members = (set: FieldSet) => new Set(text(set));
const sets = paths.map((all) => setOf(...all));

/** No node is there that neither is a member nor leads to one. */
function isTight(set: FieldSet, root = true): boolean {
  const children = Object.keys(set).filter((key) => key !== '.');
  if (!root && children.length === 0 && '.' in set) return false;
  return children.every((key) => isTight(set[key] as FieldSet, false));
}

describe('field sets', () => {
  it('hold exactly the paths that were put in', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const builder = new FieldSetBuilder();
        for (const each of all) builder.insert(each);
        const expected = new Set(all.map((each) => each.join('|')));
        expect(members(setOf(...all))).toEqual(expected);
        expect(members(builder.build())).toEqual(expected);
        expect(builder.build()).toEqual(setOf(...all));
      }),
    );
  });

  it('join, intersect and subtract as sets of paths do', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(members(unionSets(a, b))).toEqual(new Set([...left, ...right]));
        expect(members(intersectSets(a, b))).toEqual(new Set([...left].filter((each) => right.has(each))));
        expect(members(subtractSets(a, b))).toEqual(new Set([...left].filter((each) => !right.has(each))));
        for (const result of [unionSets(a, b), intersectSets(a, b), subtractSets(a, b), subtractTrees(a, b)])
          expect(isTight(result)).toBe(true);
      }),
    );
  });

  it('obey the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(unionSets(a, b)).toEqual(unionSets(b, a));
        expect(intersectSets(a, b)).toEqual(intersectSets(b, a));
        expect(unionSets(unionSets(a, b), c)).toEqual(unionSets(a, unionSets(b, c)));
        expect(intersectSets(a, unionSets(b, c))).toEqual(unionSets(intersectSets(a, b), intersectSets(a, c)));
        expect(subtractSets(a, unionSets(b, c))).toEqual(subtractSets(subtractSets(a, b), c));
        expect(unionSets(subtractSets(a, b), intersectSets(a, b))).toEqual(a);
        expect(isEmptySet(subtractSets(a, a))).toBe(true);
        expect(unionSets(a, emptySet)).toEqual(a);
        expect(unionSets(emptySet, a)).toEqual(a);
        expect(intersectSets(a, a)).toEqual(a);
      }),
    );
  });

  it('lose whole trees when those are subtracted', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const roots = text(b);
        const left = text(a).filter((each) => !roots.some((root) => each === root || each.startsWith(`${root}|`)));
        expect(members(subtractTrees(a, b))).toEqual(new Set(left));
      }),
    );
  });

  it('gain the fields on the way to their members, and no list elements', () => {
    fc.assert(
      fc.property(sets, (a) => {
        const expected = new Set(text(a));
        for (const member of membersOf(a))
          for (let length = 1; length < member.length; length++)
            if (member[length - 1]?.startsWith('f:')) expected.add(member.slice(0, length).join('|'));
        expect(members(withNamedFields(a))).toEqual(expected);
        expect(withNamedFields(withNamedFields(a))).toEqual(withNamedFields(a));
      }),
    );
  });

  it('are written in the order of upstream, as text', () => {
    const ordered = '{".":{},"f:a":{},"f:b":{".":{},"k:{\\"name\\":\\"c\\"}":{},"v:\\"x\\"":{},"i:2":{},"i:10":{}}}';
    const shuffled = JSON.parse(
      '{"f:b":{"i:10":{},"v:\\"x\\"":{},"i:2":{},"k:{\\"name\\":\\"c\\"}":{},".":{}},".":{},"f:a":{}}',
    );
    expect(JSON.stringify(orderedSet(shuffled))).toBe(ordered);
    const set = JSON.parse(ordered);
    expect(orderedSet(set)).toBe(set);
  });

  it('do not change what they are made from', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const before = JSON.stringify([a, b]);
        for (const operation of [unionSets, intersectSets, subtractSets, subtractTrees]) operation(a, b);
        withNamedFields(a);
        expect(JSON.stringify([a, b])).toBe(before);
      }),
    );
  });
});
