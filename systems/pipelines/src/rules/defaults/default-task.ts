import type { StepActionSpec } from '../../kinds/step-action-spec.ts';
import type { Step, TaskSpec } from '../../kinds/task-spec.ts';
import { defaultParam, defaultResult } from './default-params.ts';
import type { Rules } from '../rules.ts';

/** A Task's spec with types for parameters and results, and a resolver for StepActions that are not named. */
export function defaultTaskSpec(spec: TaskSpec, rules: Rules): TaskSpec {
  return {
    ...spec,
    ...(spec.params ? { params: spec.params.map(defaultParam) } : {}),
    ...(spec.steps ? { steps: spec.steps.map((step) => defaultStep(step, rules)) } : {}),
    ...(spec.results ? { results: spec.results.map(defaultResult) } : {}),
  };
}

function defaultStep(step: Step, { defaults, version }: Rules): Step {
  const { ref } = step;
  const isOpen = ref && !ref.name && !ref.resolver && defaults.resolverType !== '';
  return isOpen && version === 'v1' ? { ...step, ref: { ...ref, resolver: defaults.resolverType } } : step;
}

/** A StepAction's spec with types for parameters and results. */
export function defaultStepActionSpec(spec: StepActionSpec): StepActionSpec {
  return {
    ...spec,
    ...(spec.params ? { params: spec.params.map(defaultParam) } : {}),
    ...(spec.results ? { results: spec.results.map(defaultResult) } : {}),
  };
}
