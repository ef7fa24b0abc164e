import type { StepState } from '../../../kinds/task-run-spec.ts';
import { stepContainer, stepPrefix } from '../../../pod/container-names.ts';
import type { ResolvedStep } from './observation.ts';

/** The step states with the source of each step. Steps without a state get one: the status lists them before there is a Pod. */
export function withSources(states: readonly StepState[], steps: readonly ResolvedStep[]): readonly StepState[] {
  const places = new Map(states.map(({ name = '' }, place) => [name, place]));
  const result = [...states];
  steps.forEach(({ step, refSource }, index) => {
    const provenance = refSource ? { refSource } : {};
    const name = stepContainer(step.name, index).slice(stepPrefix.length);
    const place = places.get(name);
    const known = place === undefined ? undefined : result[place];
    if (place === undefined || !known) result.push({ name, provenance });
    else {
      const { refSource: _, ...rest } = known.provenance ?? {};
      result[place] = { ...known, provenance: { ...rest, ...provenance } };
    }
  });
  return result;
}
