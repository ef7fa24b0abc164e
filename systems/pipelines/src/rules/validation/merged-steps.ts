import type { Step, TaskSpec } from '../../kinds/task-spec.ts';
import { mergeStepTemplate } from '../../pod/merge-step-template.ts';
import type { Rules } from '../rules.ts';

/**
 * The steps merged with their template: variables are checked in these. A step that refers to a StepAction is merged
 * only when that is resolved.
 */
export function mergedSteps(
  { steps = [], stepTemplate }: TaskSpec,
  { version }: Pick<Rules, 'version'>,
): readonly Step[] {
  if (!stepTemplate) return steps;
  return steps.map((step) => {
    if (step.ref) return step;
    const merged = mergeStepTemplate(stepTemplate, step);
    return version === 'v1' ? merged : withoutNews(merged);
  });
}

/** Upstream's older version forgets these when there is a template, and so never validates them. */
function withoutNews({ params: _, results: __, workspaces: ___, ...step }: Step): Step {
  return step;
}
