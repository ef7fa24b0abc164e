import { describe, expect, it } from 'vitest';
import { configMap } from '../test-support.ts';
import { splitObjects } from './split-objects.ts';

const sized = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => configMap(`c${index}`, { text: 'x'.repeat(bytes) }));

describe('splitting objects', () => {
  it('leaves what fits in one part', () => {
    const objects = sized(3, 100);
    expect(splitObjects(objects)).toEqual([objects]);
    expect(splitObjects([])).toEqual([[]]);
  });

  it('keeps the order, and no part is larger than the limit', () => {
    const objects = sized(50, 700);
    const parts = splitObjects(objects, 5_000);
    expect(parts.flat()).toEqual(objects);
    expect(parts.every((part) => Buffer.byteLength(JSON.stringify(part)) <= 5_001)).toBe(true);
    expect(parts.length).toBeLessThan(12);
  });

  it('counts bytes, not characters, and names what no part can hold', () => {
    const object = configMap('wide', { text: '\u20ac'.repeat(400) });
    expect(() => splitObjects([object], 1_000)).toThrow(/configmap default\/wide has 1\d\d\d bytes/);
  });
});
