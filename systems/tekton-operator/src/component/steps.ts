import type { ConditionMark } from './component-conditions.ts';

/**
 * The steps of a reconcile. Each yields the marks of the conditions that it decided, and the last one returns the outcome. A step
 * takes an observation and returns values: the conditions are computed once, from all marks, when the reconcile is completed.
 */
export type Steps<Outcome> = AsyncGenerator<readonly ConditionMark[], Outcome>;

/** The marks of the steps that were completed, with the outcome, or with the error of the step that failed. */
export type CompletedSteps<Outcome> =
  | { readonly marks: readonly ConditionMark[]; readonly outcome: Outcome }
  | { readonly marks: readonly ConditionMark[]; readonly error: unknown };

/** Runs steps to their end. Does not throw: the marks of the steps before an error are reported with it. */
export async function completeSteps<Outcome>(steps: Steps<Outcome>): Promise<CompletedSteps<Outcome>> {
  const marks: ConditionMark[] = [];
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return { marks, outcome: value };
      marks.push(...value);
    }
  } catch (error) {
    return { marks, error };
  }
}
