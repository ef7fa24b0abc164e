import { describe, expect, it } from 'vitest';
import { ManualClock } from '../test-support.ts';
import { SlowReaders } from './slow-readers.ts';

describe('slow readers', () => {
  const start = () => {
    const clock = new ManualClock();
    const cut: string[] = [];
    const slow = new SlowReaders(clock, { maxBytes: 100, patienceMs: 30_000 });
    return {
      clock,
      cut,
      slow,
      wait: (client: string, bytes: number, name: string) =>
        slow.wait({ client, held: () => bytes, cut: () => void cut.push(name) }),
    };
  };

  it('are cut off when they read nothing for too long', () => {
    const { clock, cut, wait } = start();
    wait('a', 10, 'a1');
    const reading = wait('b', 10, 'b1');
    clock.advance(20);
    reading[Symbol.dispose]();
    clock.advance(11);
    expect(cut).toEqual(['a1']);
    expect(clock.pending).toBe(0);
  });

  it('are cut off when all of them hold too much: the oldest response of the one that holds the most', () => {
    const { cut, wait } = start();
    wait('greedy', 40, 'g1');
    wait('modest', 30, 'm1');
    wait('greedy', 20, 'g2');
    expect(cut).toEqual([]);
    wait('modest', 20, 'm2');
    expect(cut).toEqual(['g1']);
    wait('modest', 30, 'm3');
    expect(cut).toEqual(['g1']);
    wait('greedy', 10, 'g3');
    expect(cut).toEqual(['g1', 'm1']);
  });

  it('are cut off when a response grows while it waits, at once or soon after', () => {
    const { clock, cut, slow } = start();
    const held = { news: 10, past: 10 };
    const one = slow.wait({ client: 'a', held: () => held.news, cut: () => void cut.push('news') });
    slow.wait({ client: 'b', held: () => held.past, cut: () => void cut.push('past') });
    held.news = 95;
    one.measure();
    expect(cut).toEqual(['news']);
    one.measure();
    held.past = 101;
    clock.advance(2);
    expect(cut).toEqual(['news', 'past']);
  });
});
