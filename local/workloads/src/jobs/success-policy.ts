import type { Job } from '@tektite/schema/kubernetes';
import { parseIndexes } from './completion-indexes.ts';
import type { JobEnd } from './job-conditions.ts';

/**
 * Evaluates the success policy of a Job, which can complete it before all its indexes have succeeded. Returns the first
 * rule that holds.
 */
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
