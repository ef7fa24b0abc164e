import { formatGoDuration } from '@tektite/go';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunSpec, PipelineTaskRunTemplate } from '../../kinds/pipeline-run-spec.ts';
import type { PipelineRef } from '../../kinds/resolver-reference.ts';
import { groupOf } from '../concurrency.ts';
import { defaultPipelineSpec } from './default-pipeline.ts';
import { withoutReserved } from './default-task-run.ts';
import { mergePodTemplate } from '../../pod/merge-pod-template.ts';
import type { Rules } from '../rules.ts';

const nanosecondsPerMinute = 60_000_000_000n;

/** The spec in any version: what the older one has at the top, the newer one has in the template. */
type AnyPipelineRunSpec = PipelineRunSpec & PipelineTaskRunTemplate & { readonly timeout?: string };

/** A PipelineRun with everything that it leaves to the settings. */
export function defaultPipelineRun(run: PipelineRun, rules: Rules): PipelineRun {
  const { annotations, ...metadata } = run.metadata;
  const kept = annotations && rules.isCreate ? withoutReserved(annotations) : annotations;
  return {
    ...run,
    metadata: { ...metadata, ...(kept && Object.keys(kept).length > 0 ? { annotations: kept } : {}) },
    spec: { ...defaultPipelineRunSpec(run.spec, rules), ...queuedStatus(run, rules) },
  };
}

/** A run of a group waits for its turn. Ours: upstream knows no groups. */
function queuedStatus(run: PipelineRun, { isCreate }: Rules): Pick<PipelineRunSpec, 'status'> {
  return isCreate && !run.spec.status && groupOf(run) !== undefined ? { status: 'PipelineRunPending' } : {};
}

export function defaultPipelineRunSpec(spec: AnyPipelineRunSpec, rules: Rules): PipelineRunSpec {
  const { pipelineRef, pipelineSpec } = spec;
  const template = (given: PipelineTaskRunTemplate) => ({ ...given, ...defaultTemplate(given, rules) });
  return {
    ...spec,
    ...(pipelineRef ? { pipelineRef: defaultRef(pipelineRef, rules) } : {}),
    ...defaultTimeouts(spec, rules),
    ...(rules.version === 'v1'
      ? { taskRunTemplate: template(spec.taskRunTemplate ?? {}) }
      : defaultTemplate(spec, rules)),
    ...(pipelineSpec ? { pipelineSpec: defaultPipelineSpec(pipelineSpec, rules) } : {}),
  };
}

function defaultRef(ref: PipelineRef, { defaults }: Rules): PipelineRef {
  const isOpen = !ref.name && !ref.resolver && defaults.resolverType !== '';
  return isOpen ? { ...ref, resolver: defaults.resolverType } : ref;
}

function defaultTimeouts(
  { timeout, timeouts }: AnyPipelineRunSpec,
  { defaults, version }: Rules,
): Partial<AnyPipelineRunSpec> {
  const standard = formatGoDuration(BigInt(defaults.timeoutMinutes) * nanosecondsPerMinute);
  if (timeouts || version === 'v1') return { timeouts: { ...timeouts, pipeline: timeouts?.pipeline ?? standard } };
  return timeout === undefined ? { timeout: standard } : {};
}

function defaultTemplate(
  { serviceAccountName, podTemplate }: PipelineTaskRunTemplate,
  { defaults }: Rules,
): PipelineTaskRunTemplate {
  const account = serviceAccountName || defaults.serviceAccount;
  const merged = mergePodTemplate(podTemplate, defaults.podTemplate);
  return { ...(account === '' ? {} : { serviceAccountName: account }), ...(merged ? { podTemplate: merged } : {}) };
}
