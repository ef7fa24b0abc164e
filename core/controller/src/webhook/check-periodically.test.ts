import { forbiddenError, internalServerError } from '@tektite/meta';
import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { checkAtStart, type CheckOutcome, checkPeriodically, outcomeOf } from './check-periodically.ts';

/** Seed 6 of the memcached scenario: one lost request left objects without their defaults for a minute. */
it('a start waits for a server that fails for a moment', async () => {
  const clock = virtualClock();
  const outcomes: CheckOutcome[] = ['failing', 'failing', 'healthy'];
  await clock.until(checkAtStart(clock, async () => outcomes.shift() ?? 'healthy'));
  expect(outcomes).toEqual([]);
  expect(clock.monotonic()).toBe(1500);
});

it('a start goes on without a server that fails for long, and at once when it is refused', async () => {
  const clock = virtualClock();
  await clock.until(checkAtStart(clock, async () => 'refused'));
  expect(clock.monotonic()).toBe(0);
  await clock.until(checkAtStart(clock, async () => 'failing'));
  expect(clock.monotonic()).toBeLessThanOrEqual(60_000);
});

it('a failed check is repeated soon, and ever later while it fails', async () => {
  const clock = virtualClock();
  const times: number[] = [];
  const stop = new AbortController();
  const check = async (): Promise<CheckOutcome> => {
    times.push(clock.monotonic());
    return times.length === 5 ? 'healthy' : 'failing';
  };
  const running = checkPeriodically(clock, 4000, check, stop.signal, 'healthy');
  await clock.advance(15_900);
  stop.abort(new Error('done'));
  await clock.until(running);
  expect(times).toEqual([4000, 4500, 5500, 7500, 11_500, 15_500]);
});

it('errors of the server are worth another try, those of permissions are not', () => {
  expect([undefined, internalServerError('x'), new Error('lost')].map(outcomeOf)).toEqual([
    'healthy',
    'failing',
    'failing',
  ]);
  expect(outcomeOf(forbiddenError({ group: '', resource: 'x' }, 'y', 'z'))).toBe('refused');
});
