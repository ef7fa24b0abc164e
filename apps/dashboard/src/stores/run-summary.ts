import type { KubeObject } from '@tektite/meta';
import type { RunCondition } from '@tektite/pipelines/runs';
import { conditionOf, type RunState, stateOf, visibleText } from '../run/index.ts';

/** The part of a run that lists show: a tenth of the object. */
export interface RunSummary {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Pipeline or Task that it runs; empty for one that it has in itself. */
  readonly reference: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: RunState;
  readonly reason: string;
  readonly message: string;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly completedAt?: number;
  /** `spec.status` asks it to end. */
  readonly isCancelling: boolean;
}

interface RunObject extends KubeObject {
  readonly spec?: {
    readonly status?: string;
    readonly pipelineRef?: { readonly name?: string; readonly resolver?: string };
    readonly taskRef?: { readonly name?: string; readonly resolver?: string };
  };
  readonly status?: {
    readonly conditions?: readonly RunCondition[];
    readonly startTime?: string;
    readonly completionTime?: string;
  };
}

export function runSummary(object: KubeObject): RunSummary {
  const { kind, metadata, spec, status } = object as RunObject;
  const condition = conditionOf(status ? { status } : {});
  const reference = kind === 'PipelineRun' ? spec?.pipelineRef : spec?.taskRef;
  const state = stateOf(condition);
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    reference: reference?.name ?? (reference?.resolver ? `${reference.resolver} resolver` : ''),
    labels: metadata.labels ?? {},
    state,
    reason: condition?.reason ?? '',
    message: visibleText(condition?.message ?? ''),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    ...(status?.startTime ? { startedAt: Date.parse(status.startTime) } : {}),
    ...(status?.completionTime ? { completedAt: Date.parse(status.completionTime) } : {}),
    isCancelling: Boolean(spec?.status) && (state === 'running' || state === 'waiting'),
  };
}

/** How long a run has taken; of one that has not completed, so far. */
export function tookMs(
  { startedAt, completedAt }: Pick<RunSummary, 'startedAt' | 'completedAt'>,
  now: number,
): number | undefined {
  return startedAt === undefined ? undefined : Math.max(0, (completedAt ?? now) - startedAt);
}
