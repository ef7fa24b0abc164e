import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { formatGoDuration, goDurationToMilliseconds } from '@tektite/go';
import { formatTime, instantToMilliseconds, knativeConditionSet, parseTime } from '@tektite/meta';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import {
  ResolutionRequest,
  type ResolutionRequestObject,
  type ResolutionRequestStatus,
} from '../../kinds/resolution-request.ts';
import { isCompleted } from '../../conditions/succeeded-condition.ts';

const succeeded = knativeConditionSet('Succeeded', []);

/** The decision for a request, and its requeue delay. */
interface RequestDecision {
  readonly status: ResolutionRequestStatus;
  readonly waitMs?: number;
}

/** Pure: a request with data has succeeded, one without may wait for so long, and no longer. */
export function judge(request: ResolutionRequestObject, now: number, timeout: bigint): RequestDecision {
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
  // A moment later: the time has to be over, and not just at its end.
  return { status: outcome(succeeded.markUnknown(conditions, 'Succeeded', time, why)), waitMs: left + 1 };
}

function createdAt({ metadata }: ResolutionRequestObject, now: number): number {
  return metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : now;
}

/** Follows requests from their start to their end, whichever resolver answers them. */
export function resolutionRequestController(defaults: () => ConfigDefaults): ControllerDefinition {
  return defineController<ResolutionRequestObject>({
    name: 'resolutionrequest',
    kind: ResolutionRequest,
    async reconcile(request, { clock, writeStatus }) {
      if (isCompleted(request.status)) return undefined;
      const { status, waitMs } = judge(request, clock.now(), defaults().maximumResolutionTimeout);
      await writeStatus(request, status);
      return waitMs === undefined ? undefined : requeueAfter(waitMs);
    },
  });
}
