import { type Client, mergePatch, type ObjectKey } from '@tektite/client';
import { runKinds, type RunKind } from '../input/run-kinds.ts';

/** How a run may be ended before its time. */
export type CancelMode = 'now' | 'run-finally' | 'stop';

/** The value of `spec.status` by kind. Only PipelineRuns have a graceful end: run-finally cancels their tasks, stop lets those that run end. */
const words: Readonly<Record<RunKind, Readonly<Partial<Record<CancelMode, string>>>>> = {
  TaskRun: { now: 'TaskRunCancelled' },
  PipelineRun: { now: 'Cancelled', 'run-finally': 'CancelledRunFinally', stop: 'StoppedRunFinally' },
  CustomRun: { now: 'RunCancelled' },
};

/** Whether a run of this kind can be ended in this way. */
export function canCancel(kind: RunKind, mode: CancelMode): boolean {
  return words[kind][mode] !== undefined;
}

/** Asks a run to end. */
export async function cancelRun(
  client: Client,
  kind: RunKind,
  key: ObjectKey,
  mode: CancelMode = 'now',
): Promise<void> {
  await client.patch(runKinds[kind], key, mergePatch({ spec: { status: words[kind][mode] } }));
}
