import { describe, expect, it } from 'vitest';
import { childName, restrictLength } from './child-name.ts';
import { generateName } from './generate-name.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from './object-name.ts';
import { seededRandom } from './random.ts';

describe('generateName', () => {
  it('adds five characters that spell no words', () => {
    const random = seededRandom(1);
    const names = Array.from({ length: 200 }, () => generateName('build-', random));
    for (const name of names) expect(name).toMatch(/^build-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBe(200);
  });

  it('cuts the prefix so that the name has at most 63 characters', () => {
    expect(generateName('a'.repeat(100), seededRandom(1))).toMatch(/^a{58}.{5}$/);
  });

  it('allows a dash at the end of a prefix, not of a name', () => {
    expect(nameIsDnsSubdomain('build-', true)).toEqual([]);
    expect(nameIsDnsSubdomain('build-', false)).toHaveLength(1);
    expect(nameIsDnsLabel('-', true)).toHaveLength(1);
  });
});

describe('childName', () => {
  it.each([
    ['short', '-pod', 'short-pod'],
    ['a'.repeat(60), '-pod', 'aaaaaaaaaaaaaaaaaaaaaaaaaaacc7ed669cf88f201c3297c6a91e1d18d-pod'],
    [
      `pr-${'b'.repeat(50)}`,
      '-build-and-test-everything',
      'pr-bb35fb656912937a94e2024e53778515d6-build-and-test-everything',
    ],
    ['short', `-${'c'.repeat(60)}`, 'short123262296c9cb8f6e6333910394375c3-ccccccccccccccccccccccccc'],
  ])('of %s and %s is %s', (parent, suffix, name) => {
    expect(childName(parent, suffix)).toBe(name);
    expect(name.length).toBeLessThanOrEqual(63);
  });

  it('does not end in a dash when it is cut', () => {
    expect(restrictLength(`${'a'.repeat(62)}--b`)).toBe('a'.repeat(62));
  });
});
