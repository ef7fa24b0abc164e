import { formatTime, knativeConditionSet, restrictLength } from '@tektite/meta';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineRunStatus } from '../../../kinds/pipeline-run-spec.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';
import type { RunOutcome } from '../../../status/pod-outcome.ts';
import type { VerificationResult } from '../../../trust/verification-result.ts';

const conditions = knativeConditionSet('Succeeded', []);

export function succeeded(status: PipelineRunStatus | undefined): RunCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Succeeded');
}

export function isRunOver(status: PipelineRunStatus | undefined): boolean {
  return (succeeded(status)?.status ?? 'Unknown') !== 'Unknown';
}

/** The status with this outcome; a final one comes with the time. */
export function withRunOutcome(
  status: PipelineRunStatus,
  { status: how, reason, message }: RunOutcome,
  now: number,
): PipelineRunStatus {
  const condition = { type: 'Succeeded', status: how, reason, ...(message ? { message } : {}) };
  const before = (status.conditions ?? []) as Parameters<typeof conditions.set>[0];
  const next = { ...status, conditions: conditions.set(before, condition, formatTime(now)) };
  return how === 'Unknown' ? next : { ...next, completionTime: status.completionTime ?? formatTime(now) };
}

/** Says whether what was fetched from elsewhere is signed as it should be. */
export function withVerification(
  status: PipelineRunStatus,
  verification: VerificationResult,
  message: string,
  now: number,
): PipelineRunStatus {
  if (verification.outcome === 'skipped') return status;
  const condition = {
    type: 'TrustedResourcesVerified',
    status: verification.outcome === 'passed' ? ('True' as const) : ('False' as const),
    ...(verification.outcome === 'passed' ? {} : { message }),
  };
  const before = (status.conditions ?? []) as Parameters<typeof conditions.set>[0];
  return { ...status, conditions: conditions.set(before, condition, formatTime(now)) };
}

/** A run that has begun. It never began before it was created, whatever the clocks say. */
export function startedRun({ metadata, status = {} }: PipelineRun, now: number): PipelineRunStatus {
  if (status.startTime) return status;
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
  const begun = { ...status, startTime: formatTime(Math.max(now, created)) };
  const message = succeeded(status)?.message ?? '';
  return withRunOutcome(begun, { status: 'Unknown', reason: 'Started', message }, now);
}

/** Others may have controllers of their own for runs that say so. */
export function isOursToRun({ spec }: Pick<PipelineRun, 'spec'>): boolean {
  return !spec.managedBy || spec.managedBy === 'tekton.dev/pipeline';
}

/** What the label says of which Pipeline a run is, before that is found. Undefined when the run does not say. */
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
