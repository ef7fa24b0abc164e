import type { History } from '../history/history.ts';
import type { Violation } from './rule.ts';

const windowMs = 60_000;
/** No controller has a reason to write one object that often in a minute. */
const maxWritesOfObject = 600;
/** Creations of a kind in a namespace in a minute. */
const maxCreations = 6000;

/**
 * Watches a run for a component that writes one object over and over, or creates objects without end. Unlike other rules it is checked
 * while the run goes on: the history of a hot loop would fill the memory before the run is over.
 */
export class HotLoopWatch {
  violation: Violation | undefined;
  private readonly counts = new Map<string, { since: number; count: number }>();

  /** `stop` is called once, when a loop was found. */
  constructor(history: History, stop: () => void) {
    history.onEntry((entry) => {
      if (entry.type !== 'write' || this.violation) return;
      const { at, component, method, path } = entry;
      const id = `${component}: ${method} ${path}`;
      const window = this.counts.get(id);
      if (!window || at - window.since > windowMs) {
        this.counts.set(id, { since: at, count: 1 });
        return;
      }
      window.count++;
      if (window.count <= (method === 'POST' ? maxCreations : maxWritesOfObject)) return;
      this.violation = { at, message: `${id} ${window.count} times within a minute` };
      stop();
    });
  }
}
