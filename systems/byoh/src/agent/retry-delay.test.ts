import { expect, it } from 'vitest';
import { RetryDelay } from './retry-delay.ts';

it('doubles with each failure of the same work, up to five minutes', () => {
  const delay = new RetryDelay();
  const delays: number[] = [];
  for (let now = 0, failures = 0; failures < 11; failures++) {
    delay.failed('install a', now);
    const remaining = delay.remainingMs('install a', now);
    delays.push(remaining / 1000);
    now += remaining;
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

it('passes with time, and does not hold up other work', () => {
  const delay = new RetryDelay();
  delay.failed('install a', 5000);
  expect(delay.remainingMs('install a', 5400)).toBe(600);
  expect(delay.remainingMs('install a', 7000)).toBe(0);
  expect(delay.remainingMs('install b', 5400)).toBe(0);
});

it('begins again after work that was completed', () => {
  const delay = new RetryDelay();
  delay.failed('install a', 0);
  delay.failed('install a', 1000);
  delay.completed();
  expect(delay.remainingMs('install a', 1000)).toBe(0);
  delay.failed('install a', 1000);
  expect(delay.remainingMs('install a', 1000)).toBe(1000);
});
