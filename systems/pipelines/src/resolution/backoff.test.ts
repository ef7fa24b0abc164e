import { seededRandom, TerminalError } from '@tektite/meta';
import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { backoffOf, retry } from './backoff.ts';

const standard = { durationMs: 2000, factor: 2, jitter: 0.1, steps: 2, capMs: 10_000 };

it('settings that make no sense count as absent', () => {
  expect(backoffOf({})).toEqual(standard);
  const bad = { 'backoff-duration': 'x', 'backoff-factor': '-1', 'backoff-steps': '0', 'backoff-cap': '-1s' };
  expect(backoffOf(bad)).toEqual(standard);
  expect(backoffOf({ 'backoff-duration': '1s', 'backoff-steps': '5' })).toEqual({
    ...standard,
    durationMs: 1000,
    steps: 5,
  });
});

function place() {
  const clock = virtualClock();
  return { clock, random: seededRandom(1), signal: new AbortController().signal };
}

it('it is tried again, later and later', async () => {
  const { clock, ...rest } = place();
  const times: number[] = [];
  const start = clock.now();
  const trying = retry({ ...standard, steps: 4, jitter: 0, capMs: 5000 }, { clock, ...rest }, () => {
    times.push(clock.now() - start);
    return Promise.reject(new Error('down'));
  });
  await expect(clock.until(trying)).rejects.toThrow('down');
  expect(times).toEqual([0, 2000, 6000, 11_000]);
});

it('what cannot get better is not tried again', async () => {
  let count = 0;
  const trying = retry(standard, place(), () => {
    count++;
    return Promise.reject(new TerminalError('not there'));
  });
  await expect(trying).rejects.toThrow('not there');
  expect(count).toBe(1);
});
