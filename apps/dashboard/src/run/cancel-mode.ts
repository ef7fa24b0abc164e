/** How a run may be ended before its time. */
export type CancelMode = 'now' | 'run-finally' | 'stop';

/** The value of `spec.status` by kind. Only PipelineRuns have a graceful end: run-finally cancels their tasks, stop lets those that run end. */
const words: Readonly<Record<string, Readonly<Partial<Record<CancelMode, string>>>>> = {
  TaskRun: { now: 'TaskRunCancelled' },
  PipelineRun: { now: 'Cancelled', 'run-finally': 'CancelledRunFinally', stop: 'StoppedRunFinally' },
  CustomRun: { now: 'RunCancelled' },
};

/** The `spec.status` that ends a run of this kind in this way; `undefined` where the kind has no such end. */
export function cancelStatus(kind: string, mode: CancelMode): string | undefined {
  return words[kind]?.[mode];
}
