import { describe, expect, it } from 'vitest';
import { byteText, readBytes } from './byte-text.ts';

describe('sizes', () => {
  it('are printed with three digits', () => {
    expect([0, 999, 1000, 4_261_550, 1_234_000_000].map(byteText)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '4.26 MB',
      '1.23 GB',
    ]);
  });

  it('are read with and without units', () => {
    expect(['0', '12', '1.5kB', '10GB', '2 mb'].map((text) => readBytes('--size', text))).toEqual([
      0, 12, 1500, 10_000_000_000, 2_000_000,
    ]);
    expect(() => readBytes('--size', 'much')).toThrow('--size must be a size');
  });
});
