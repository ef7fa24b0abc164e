import type { Source } from './source.ts';

/**
 * A source that has all objects of the controller looked at each time so long has passed: for what no event tells, such
 * as the age of something. One timer, whatever the number of objects; they take the bulk lane, behind real changes.
 */
export function every(milliseconds: number): Source {
  const describe = `every ${milliseconds} ms`;
  return {
    describe,
    start(target) {
      let timer: Disposable | undefined;
      const arm = () => {
        timer = target.clock.setTimer(milliseconds, () => {
          for (const key of target.keys())
            target.add(key, { lane: 'bulk', cause: { kind: target.kind.kind, object: key, change: 'timer' } });
          arm();
        });
      };
      arm();
      return { synced: () => Promise.resolve(), stop: async () => timer?.[Symbol.dispose]() };
    },
  };
}
