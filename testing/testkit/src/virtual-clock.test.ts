import { sleep } from '@tektite/meta';
import { expect, it } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

it('runs timers in the order they fall due, those of one moment in the order they were set', async () => {
  const clock = virtualClock();
  const ran: string[] = [];
  clock.setTimer(20, () => ran.push('b'));
  clock.setTimer(10, () => ran.push('a'));
  clock.setTimer(20, () => ran.push('c'));
  clock.setTimer(31, () => ran.push('too late'));
  await clock.advance(30);
  expect(ran).toEqual(['a', 'b', 'c']);
  expect(clock.monotonic()).toBe(30);
});

it('runs timers that are set on the way, and lets the program go on between', async () => {
  const clock = virtualClock();
  const times: number[] = [];
  const work = (async () => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 10);
      times.push(clock.monotonic());
    }
  })();
  await clock.advance(100);
  await work;
  expect(times).toEqual([10, 20, 30]);
});

it('does not run what was cancelled', async () => {
  const clock = virtualClock();
  let ran = false;
  const timer = clock.setTimer(10, () => {
    ran = true;
  });
  timer[Symbol.dispose]();
  await clock.advance(100);
  expect(ran).toBe(false);
  expect(clock.pendingTimers).toBe(0);
});

it('moves on until something happens', async () => {
  const clock = virtualClock();
  const work = sleep(clock, 3_600_000).then(() => 'done');
  expect(await clock.until(work)).toBe('done');
  expect(clock.monotonic()).toBe(3_600_000);
});

it('says so when nothing can happen any more, or not in time', async () => {
  const clock = virtualClock();
  await expect(clock.until(new Promise(() => {}))).rejects.toThrow('no timer is set');
  await expect(clock.until(sleep(clock, 2_000), 1_000)).rejects.toThrow('within 1000 ms');
});
