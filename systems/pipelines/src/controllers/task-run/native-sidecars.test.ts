import { expect, it } from 'vitest';
import { hasNativeSidecars } from './native-sidecars.ts';

it.each([
  ['1', '28', false],
  ['1', '28+', false],
  ['1', '29', true],
  ['1', '29+', true],
  ['1', '36', true],
  ['2', '0', true],
  ['', '', false],
])('a server of version %s.%s has native sidecars: %s', (major, minor, expected) => {
  expect(hasNativeSidecars({ major, minor })).toBe(expected);
});
