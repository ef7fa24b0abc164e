import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity, Quantity } from './quantity.ts';

describe('Quantity', () => {
  it.each([
    ['0', '0'],
    ['0m', '0'],
    ['0Ki', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['1000m', '1'],
    ['1100m', '1100m'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['1000', '1k'],
    ['100000', '100k'],
    ['123456', '123456'],
    ['1000000', '1M'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1023Ki', '1023Ki'],
    ['512', '512'],
    ['0.1Ki', '102400m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e2', '1200'],
    ['1000e3', '1e6'],
    ['1e-3', '1e-3'],
    ['2e-4', '200e-6'],
    ['0.1m', '100u'],
    ['0.0000000001', '1n'],
    ['-1.5', '-1500m'],
    ['1Ei', '1Ei'],
    ['16Ei', '9223372036854775807'],
    ['9223372036854775807', '9223372036854775807'],
    ['123456789012345678901', '123456789012345678901'],
    ['100000000000000000000', '100E'],
  ])('prints %s as %s', (text, canonical) => {
    expect(Quantity.parse(text).toString()).toBe(canonical);
  });

  it('prints nearly canonical text as it was written, which is what upstream does', () => {
    for (const text of ['+1', '001', '1.500', '01Ki']) expect(Quantity.parse(text).toString()).toBe(text);
  });

  it.each([
    ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['abc', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1 Gi', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1Kb', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1i', "unable to parse quantity's suffix"],
    ['1mm', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['.e-20', 'unable to parse numeric part of quantity'],
  ])('refuses %j', (text, message) => {
    expect(() => Quantity.parse(text)).toThrow(expect.objectContaining({ message }));
  });

  it.each([
    ['1', '1000m', 0],
    ['1Ki', '1k', 1],
    ['-1', '1', -1],
    ['999m', '1', -1],
    ['1e2000000000', '1', 1],
    ['-1e2000000000', '1e-9', -1],
    ['0', '0Gi', 0],
    ['0.1', '100m', 0],
  ])('compares %s with %s', (left, right, expected) => {
    expect(Math.sign(Quantity.parse(left).compare(Quantity.parse(right)))).toBe(expected);
    expect(Math.sign(Quantity.parse(right).compare(Quantity.parse(left)))).toBe(0 - expected);
  });

  it('adds and subtracts exactly, in the format of the first that is not zero', () => {
    const q = (text: string) => Quantity.parse(text);
    expect(q('500m').add(q('1')).toString()).toBe('1500m');
    expect(q('0').add(q('1Mi')).toString()).toBe('1Mi');
    expect(q('1Mi').sub(q('512Ki')).toString()).toBe('512Ki');
    expect(q('1').sub(q('1')).isZero).toBe(true);
    expect(q('0.1').add(q('0.2')).toString()).toBe('300m');
    // An absurd exponent neither fails nor fills the memory.
    expect(q('1e2000000000').add(q('1')).compare(q('1E'))).toBe(1);
  });

  it('converts to integers', () => {
    expect(Quantity.parse('1.1').value).toBe(2n);
    expect(Quantity.parse('-1.1').value).toBe(-2n);
    expect(Quantity.parse('1.0001').milliValue).toBe(1001n);
    expect(Quantity.parse('2Ki').asInt64()).toBe(2048n);
    expect(Quantity.parse('2k').asInt64()).toBe(2000n);
    expect(Quantity.parse('1000m').asInt64()).toBeUndefined();
    expect(Quantity.parse('100E').asInt64()).toBeUndefined();
    expect(Quantity.parse('250m').toNumber()).toBe(0.25);
  });

  it('reads numbers of JSON', () => {
    expect(canonicalQuantity(1)).toBe('1');
    expect(canonicalQuantity(0.5)).toBe('500m');
    expect(canonicalQuantity(' 1Gi ')).toBe('1Gi');
  });

  it('keeps its value and its text when it is printed and read again', () => {
    const suffix = fc.constantFrom('', 'm', 'u', 'n', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'e3', 'e-2', 'E5');
    fc.assert(
      fc.property(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: 0, max: 9999 }), suffix, (a, b, unit) => {
        const quantity = Quantity.parse(`${a}.${b}${unit}`);
        const again = Quantity.parse(quantity.toString());
        expect(again.compare(quantity)).toBe(0);
        expect(again.toString()).toBe(quantity.toString());
      }),
    );
  });
});
