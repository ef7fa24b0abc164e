import { formatTime, restrictLength } from '@tektite/meta';
import { type RunOutcome, succeededCondition, withOutcome } from '../../../conditions/succeeded-condition.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineRunSpec, PipelineRunStatus } from '../../../kinds/pipeline-run-spec.ts';

/** The cancellation or stop that a user requests in the spec. */
export type SpecStatus = NonNullable<PipelineRunSpec['status']>;

/** A PipelineRun as decided so far: with the metadata and the status that it is to have. */
export type PipelineRunDraft = PipelineRun & { readonly status: PipelineRunStatus };

/** The draft with some fields of its status replaced. */
export function withStatus(draft: PipelineRunDraft, changes: PipelineRunStatus): PipelineRunDraft {
  return { ...draft, status: { ...draft.status, ...changes } };
}

/** The status with this outcome; a final one gets a completion time. */
export function withRunOutcome(status: PipelineRunStatus, outcome: RunOutcome, now: number): PipelineRunStatus {
  const next = withOutcome(status, outcome, now);
  return outcome.status === 'Unknown' ? next : { ...next, completionTime: status.completionTime ?? formatTime(now) };
}

/** The status with a start time. A run never starts before its creation, even if clocks disagree. */
export function startedStatus({ metadata, status = {} }: PipelineRun, now: number): PipelineRunStatus {
  if (status.startTime) return status;
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
  const started = { ...status, startTime: formatTime(Math.max(now, created)) };
  const message = succeededCondition(status)?.message ?? '';
  return withRunOutcome(started, { status: 'Unknown', reason: 'Started', message }, now);
}

/** Whether this controller runs it. `spec.managedBy` hands a run to another controller. */
export function isManaged({ spec }: Pick<PipelineRun, 'spec'>): boolean {
  return !spec.managedBy || spec.managedBy === 'tekton.dev/pipeline';
}

/** The value of the Pipeline label before the Pipeline is resolved; undefined for a run that names no Pipeline. */
export function pipelineLabelOf({ metadata, spec }: PipelineRun): string | undefined {
  const { pipelineRef, pipelineSpec } = spec;
  const { name = '', generateName = '' } = metadata;
  if (pipelineRef?.name) return pipelineRef.name;
  if (pipelineSpec) return (generateName && restrictLength(generateName)) || name;
  if (!pipelineRef?.resolver) return undefined;
  const text = (wanted: string) => {
    const value = pipelineRef.params?.findLast((param) => param.name === wanted)?.value;
    return typeof value === 'string' ? value : '';
  };
  return text('kind') === 'pipeline' ? text('name') : name;
}
