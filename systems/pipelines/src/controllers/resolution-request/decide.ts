import { formatGoDuration, goDurationToMilliseconds } from '@tektite/go';
import { formatTime, instantToMilliseconds, knativeConditionSet, parseTime } from '@tektite/meta';
import type { ResolutionRequestObject, ResolutionRequestStatus } from '../../kinds/resolution-request.ts';

const succeeded = knativeConditionSet('Succeeded', []);

/** The decision for a request, and its requeue delay. */
export interface RequestDecision {
  readonly status: ResolutionRequestStatus;
  readonly waitMs?: number;
}

/** A request with data has succeeded, one without may wait for so long, and no longer. */
export function decideRequest(request: ResolutionRequestObject, now: number, timeout: bigint): RequestDecision {
  const { status, metadata } = request;
  const time = formatTime(now);
  const conditions = (status?.conditions ?? []) as Parameters<typeof succeeded.initialize>[0];
  const outcome = (next: typeof conditions): ResolutionRequestStatus =>
    ({
      ...status,
      conditions: next,
      ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    }) as ResolutionRequestStatus;
  if (status?.data) return { status: outcome(succeeded.markTrue(conditions, 'Succeeded', time)) };
  const left = goDurationToMilliseconds(timeout) - (now - createdAt(request, now));
  if (left < 0) {
    const message = `resolution took longer than global timeout of ${formatGoDuration(timeout)}`;
    const why = { reason: 'ResolutionTimedOut', message };
    return { status: outcome(succeeded.markFalse(conditions, 'Succeeded', time, why)) };
  }
  const why = { reason: 'ResolutionInProgress', message: 'waiting for resolver' };
  // A moment later: the timeout has to be exceeded, and not just reached.
  return { status: outcome(succeeded.markUnknown(conditions, 'Succeeded', time, why)), waitMs: left + 1 };
}

function createdAt({ metadata }: ResolutionRequestObject, now: number): number {
  return metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : now;
}
