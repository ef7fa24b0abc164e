import type { Source } from './source.ts';

/**
 * A source that enqueues all objects of the controller periodically: for changes without an event, such as an age. One
 * timer, whatever the number of objects; they take the bulk lane, behind real changes.
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
