import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairLanes, type Lane } from './fair-lanes.ts';

function takeAll(lanes: FairLanes): string[] {
  const taken: string[] = [];
  for (let key = lanes.take(); key !== undefined; key = lanes.take()) taken.push(key);
  return taken;
}

describe('the lanes of a queue', () => {
  it('let fresh keys go before bulk keys, and a bulk key after every few of them', () => {
    const lanes = new FairLanes(2);
    for (const key of ['old1', 'old2', 'old3']) lanes.add(key, 'bulk');
    for (const key of ['new1', 'new2', 'new3', 'new4']) lanes.add(key, 'fresh');
    expect(takeAll(lanes)).toEqual(['new1', 'new2', 'old1', 'new3', 'new4', 'old2', 'old3']);
  });

  it('move a bulk key forward when it becomes fresh, but never back', () => {
    const lanes = new FairLanes();
    lanes.add('a', 'bulk');
    lanes.add('b', 'bulk');
    lanes.add('b', 'fresh');
    lanes.add('b', 'bulk');
    expect(lanes.size).toBe(2);
    expect(takeAll(lanes)).toEqual(['b', 'a']);
  });

  it('keep their bounds, whatever comes in whatever order', () => {
    const step = fc.oneof(fc.constantFrom<Lane>('fresh', 'bulk'), fc.constant('take' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.integer({ min: 1, max: 5 }), (steps, patience) => {
        const lanes = new FairLanes(patience);
        const waiting: Record<Lane, { key: string; deadline: number }[]> = { fresh: [], bulk: [] };
        let takes = 0;
        const take = () => {
          const key = lanes.take();
          takes++;
          const lane = waiting.fresh[0]?.key === key ? 'fresh' : 'bulk';
          const first = waiting[lane].shift();
          expect(first?.key).toBe(key);
          if (first) expect(takes).toBeLessThanOrEqual(first.deadline);
        };
        for (const [index, step] of steps.entries()) {
          if (step === 'take') {
            if (lanes.size > 0) take();
            continue;
          }
          const ahead = waiting[step].length + 1;
          const within = step === 'bulk' ? ahead * (patience + 1) : ahead + Math.ceil(ahead / patience);
          waiting[step].push({ key: String(index), deadline: takes + within });
          lanes.add(String(index), step);
        }
        while (lanes.size > 0) take();
        expect([...waiting.fresh, ...waiting.bulk]).toEqual([]);
      }),
    );
  });

  it('take a hundred thousand keys in no time', () => {
    const lanes = new FairLanes();
    for (let i = 0; i < 100_000; i++) lanes.add(String(i), i % 2 ? 'fresh' : 'bulk');
    const started = performance.now();
    expect(takeAll(lanes)).toHaveLength(100_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
