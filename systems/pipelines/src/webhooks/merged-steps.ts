import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { mergeStepTemplate } from '../pod/merge-step-template.ts';

/**
 * The steps with what their template says: it is these that variables are looked for in. A step that refers to a StepAction gets
 * what the template says only when that is known.
 */
export function mergedSteps({ steps = [], stepTemplate }: TaskSpec): readonly Step[] {
  return steps.map((step) => (step.ref ? step : mergeStepTemplate(stepTemplate, step)));
}
