import type { Step, TaskSpec } from '../../kinds/task-spec.ts';
import { mergeStepTemplate } from '../../pod/merge-step-template.ts';
import type { Rules } from '../rules.ts';

/**
 * The steps with what their template says: it is these that variables are looked for in. A step that refers to a StepAction gets
 * what the template says only when that is known.
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

/** Upstream's older version forgets these when there is a template, and so never looks at them. */
function withoutNews({ params: _, results: __, workspaces: ___, ...step }: Step): Step {
  return step;
}
