import { formatTime } from '@tektite/meta';
import { historyLimit, prunerAnnotations, type PrunerSettings, timeToLive, tooMany } from './prune-limits.ts';
import { endOf, isPartOfAnother, type PrunedRun, type RunKindName } from './pruned-run.ts';

/** A run as the pruner observes it. */
export interface PruningObservation {
  readonly run: PrunedRun;
  readonly kind: RunKindName;
  readonly settings: PrunerSettings;
  /** All runs of its kind in its namespace. */
  readonly others: () => readonly PrunedRun[];
  readonly now: number;
}

/** The plan for a run: runs to delete, then an annotation to write (null deletes it), or the delay of the next reconcile. */
export interface PruningPlan {
  readonly deletes?: readonly PrunedRun[];
  readonly annotation?: { readonly key: string; readonly value: string | null };
  readonly requeueMs?: number;
}

/**
 * Decides about a completed run: first it is annotated with its TTL, then the runs beyond its limit are deleted, once, and in the end
 * it is deleted itself.
 */
export function decidePruning({ run, kind, settings, others, now }: PruningObservation): PruningPlan {
  const end = endOf(run);
  if (!end || run.metadata.deletionTimestamp || isPartOfAnother(run)) return {};
  const { annotations = {} } = run.metadata;
  const ttl = timeToLive(run, kind, settings);
  const value = ttl === undefined ? undefined : String(ttl);
  if (annotations[prunerAnnotations.ttl] !== value)
    return { annotation: { key: prunerAnnotations.ttl, value: value ?? null } };
  if (annotations[prunerAnnotations.processed] === undefined)
    return {
      deletes: tooMany(others(), kind, end, historyLimit(run, kind, end, settings), endOf),
      annotation: { key: prunerAnnotations.processed, value: formatTime(now) },
    };
  if (ttl === undefined) return {};
  const due = Date.parse(run.status?.completionTime ?? '') + ttl * 1000;
  return due > now ? { requeueMs: due - now } : { deletes: [run] };
}
