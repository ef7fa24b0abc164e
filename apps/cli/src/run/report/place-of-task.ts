import type { PlannedObject } from '../plan-run.ts';
import type { PlaceOfTask } from './github-annotations.ts';

/** Where the tasks of runs are written; `created` has the runs by the names that the server gave them. */
export function placesOf(created: ReadonlyMap<string, PlannedObject>): PlaceOfTask {
  return (run, title) => {
    const planned = created.get(run);
    const { target, place } = planned ?? {};
    const [first = ''] = title.split(' / ');
    for (const list of ['tasks', 'finally'] as const) {
      // Of a matrix, tasks have numbers.
      const index = (target?.spec[list] ?? []).findIndex(
        ({ name }) => name === first || first.replace(/-\d+$/, '') === name,
      );
      if (index >= 0) return target?.at([list, index]);
    }
    return place;
  };
}
