import type { Job } from '@tektite/schema/kubernetes';
import { parseIndexes } from './completion-indexes.ts';
import type { JobEnd } from './job-conditions.ts';

/** Whether a Job has succeeded before all its parts have, by a rule of its own. The first rule that holds is named. */
export function successByPolicy({ spec }: Job, succeeded: ReadonlySet<number>): JobEnd | undefined {
  for (const [index, rule] of (spec?.successPolicy?.rules ?? []).entries()) {
    const { succeededIndexes, succeededCount } = rule;
    const required =
      succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, spec?.completions ?? 0);
    if (required?.size === 0) continue;
    const counted = required ? [...required].filter((each) => succeeded.has(each)).length : succeeded.size;
    const enough = succeededCount !== undefined && counted >= succeededCount;
    if (enough || (required && counted === required.size))
      return { type: 'success', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
  }
  return undefined;
}
