import type { WatcherConfig } from '../config/watcher-config.ts';
import type { Run } from '../kinds/runs.ts';

export type Deletion =
  | { readonly type: 'keep' }
  | { readonly type: 'wait'; readonly milliseconds: number }
  | { readonly type: 'delete' };

/** Whether a completed and archived run is deleted, now or later. */
export function deletionOf({ metadata, status }: Run, config: WatcherConfig, now: number): Deletion {
  const { gracePeriodMs, checkOwner, labelSelector, requeueMs } = config;
  if (gracePeriodMs === 0) return { type: 'keep' };
  const owners = metadata.ownerReferences ?? [];
  // Those of a PipelineRun go with it.
  if (owners.some(({ kind }) => kind === 'PipelineRun') || (checkOwner && owners.length > 0)) return { type: 'keep' };
  const completed = Date.parse(status?.completionTime ?? '');
  if (Number.isNaN(completed)) return { type: 'wait', milliseconds: Math.max(gracePeriodMs, 0) };
  const rest = completed + gracePeriodMs - now;
  if (rest > 0) return { type: 'wait', milliseconds: rest };
  if (!labelSelector.matches(metadata.labels ?? {})) return { type: 'wait', milliseconds: requeueMs };
  return { type: 'delete' };
}
