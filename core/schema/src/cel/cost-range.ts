/** The least and the most something can cost, or how small and large it can be. Nothing exceeds {@link unlimited}. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The maximum of 64 bits: an unknown cost. */
export const unlimited = 2 ** 64;

const cap = (value: number): number => Math.min(value, unlimited);

export const fixed = (value: number): Range => ({ min: value, max: value });
export const unknownSize: Range = { min: 0, max: unlimited };
export const add = (a: Range, b: Range): Range => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const sum = (...ranges: Range[]): Range => ranges.reduce(add, fixed(0));
export const multiply = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
/** Multiplied by a factor and rounded up. */
export const scale = (range: Range, factor: number): Range => ({
  min: cap(Math.ceil(range.min * factor)),
  max: cap(Math.ceil(range.max * factor)),
});
