import { systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

const busy = (milliseconds: number) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

describe('long work', () => {
  it('leaves the event loop free after some milliseconds', async () => {
    const turns = new Turns(systemClock);
    let loops = 0;
    let done = 0;
    const count = () => {
      loops++;
      if (done < 20) setImmediate(count);
    };
    setImmediate(count);
    for (let i = 0; i < 20; i++)
      void turns.do('a', () => {
        busy(1);
        done++;
      });
    await expect.poll(() => done).toBe(20);
    expect(loops).toBeGreaterThanOrEqual(4);
  });

  it('of one client is done in its order, and does not hold up that of another', async () => {
    const turns = new Turns(systemClock);
    const done: string[] = [];
    for (let i = 0; i < 20; i++) void turns.do('greedy', () => void done.push(`greedy ${i}`));
    void turns.do('modest', () => void done.push('modest 0'));
    const last = turns.wait('modest').then(() => done.push('modest 1'));
    await last;
    expect(done.indexOf('modest 0')).toBe(1);
    expect(done.indexOf('modest 1')).toBeLessThan(5);
    await expect.poll(() => done.length).toBe(22);
    const greedy = done.filter((each) => each.startsWith('greedy'));
    expect(greedy).toEqual(Array.from({ length: 20 }, (_, i) => `greedy ${i}`));
  });

  it('that fails rejects, and the rest goes on', async () => {
    const turns = new Turns(systemClock);
    const failed = turns.do('a', () => {
      throw new Error('no');
    });
    const other = turns.do('a', () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await other).toBe('yes');
  });
});
