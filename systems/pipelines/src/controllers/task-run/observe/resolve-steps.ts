import { quoteGo } from '@tektite/meta';
import { StepAction } from '../../../kinds/kinds.ts';
import type { RefSource } from '../../../kinds/run-status.ts';
import type { StepActionSpec } from '../../../kinds/step-action-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { Step, TaskSpec } from '../../../kinds/task-spec.ts';
import { fetchStepAction, type RemotePlace } from '../../../resolution/fetch-remote.ts';
import { paramReplacements } from '../../../substitution/param-replacements.ts';
import { replaceValue } from '../../../substitution/replace-text.ts';
import { applyStepAction, stepActionReplacements } from '../../../substitution/step-action-params.ts';
import { defaultStepActionSpec } from '../../../rules/defaults/default-task.ts';
import type { ResolvedStep } from '../decide/observation.ts';
import { resolutionFailure } from './resolve-task.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';

/** Resolves the StepActions of a Task, at most `concurrency` at a time. */
export async function resolveSteps(
  task: TaskSpec,
  taskRun: TaskRun,
  place: RemotePlace,
  concurrency: number,
): Promise<readonly ResolvedStep[]> {
  const { steps = [] } = task;
  const resolved: ResolvedStep[] = [];
  const group = Math.max(1, concurrency);
  for (let from = 0; from < steps.length; from += group) {
    const part = steps.slice(from, from + group);
    resolved.push(...(await Promise.all(part.map((step, i) => resolveStep(step, from + i, task, taskRun, place)))));
  }
  return resolved;
}

async function resolveStep(
  step: Step,
  index: number,
  task: TaskSpec,
  taskRun: TaskRun,
  place: RemotePlace,
): Promise<ResolvedStep> {
  if (!step.ref) return { step };
  const { namespace = '', name = '' } = taskRun.metadata;
  const prefix = `failed to resolve step ref for step ${quoteGo(step.name ?? '')} (index ${index}): `;
  try {
    const { spec, refSource } = await findAction(step, task, taskRun, place);
    const resolved = apply(step, defaultStepActionSpec(spec), task, taskRun, prefix);
    return { step: resolved, ...(refSource ? { refSource } : {}) };
  } catch (error) {
    throw resolutionFailure(error, prefix, {
      reason: 'ResolvingStepActionRef',
      message: `TaskRun ${namespace}/${name} awaiting remote StepAction`,
    });
  }
}

function apply(step: Step, action: StepActionSpec, task: TaskSpec, { spec }: TaskRun, prefix: string): Step {
  try {
    return applyStepAction(step, action, stepActionReplacements(step, action, task, spec.params ?? []));
  } catch (error) {
    throw new RunFailure('TaskRunResolutionFailed', prefix + (error as Error).message, { cause: error });
  }
}

async function findAction(
  { ref }: Step,
  task: TaskSpec,
  taskRun: TaskRun,
  place: RemotePlace,
): Promise<{ readonly spec: StepActionSpec; readonly refSource?: RefSource | undefined }> {
  const { name = '', resolver = '', params = [] } = ref ?? {};
  if (resolver === '') {
    const key = { namespace: taskRun.metadata.namespace ?? '', name };
    return place.client.get(StepAction, key, { signal: place.signal });
  }
  const known = paramReplacements(task.params ?? [], taskRun.spec.params ?? [], 'task');
  const replaced = params.map((param) => ({ ...param, value: replaceValue(param.value, known) }));
  const { object, refSource } = await fetchStepAction(taskRun, { resolver, params: replaced, url: name }, place);
  return { spec: object.spec, refSource };
}
