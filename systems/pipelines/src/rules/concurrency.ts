import type { PipelineRun } from '../kinds/pipeline-run.ts';

/** The concurrency settings of a run. */
export interface Concurrency {
  /** Runs of one namespace with the same group share a limit. */
  readonly group: string;
  /** How many of them may run at once. */
  readonly limit: number;
  /** The strategy of a new run without a free place: wait, or cancel others. */
  readonly strategy: 'wait' | 'cancel-in-progress';
}

const prefix = 'tektite.dev/concurrency-';
const groupAnnotation = `${prefix}group`;

/** The group that a run is in, if it says one. */
export function groupOf({ metadata }: Pick<PipelineRun, 'metadata'>): string | undefined {
  return metadata.annotations?.[groupAnnotation] || undefined;
}

/** All of what a run says. A limit that is no number is the smallest one: that may be slow, but never wrong. */
export function concurrencyOf(run: Pick<PipelineRun, 'metadata'>): Concurrency | undefined {
  const group = groupOf(run);
  if (group === undefined) return undefined;
  const { annotations = {} } = run.metadata;
  const limit = Number(annotations[`${prefix}limit`] ?? 1);
  const strategy = annotations[`${prefix}strategy`] === 'cancel-in-progress' ? 'cancel-in-progress' : 'wait';
  return { group, limit: Number.isInteger(limit) && limit > 0 ? limit : 1, strategy };
}
