import { equalJson } from '@tektite/meta';
import type { EventText } from '@tektite/controller';
import type { RunCondition } from '../kinds/run-status.ts';

/**
 * What users are told when the condition of a run changes; nothing when it did not. A run that has just begun says so first, and
 * one that may not begin yet says only that, as upstream's does.
 */
export function conditionEvents(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
): readonly EventText[] {
  if (before !== undefined || after === undefined) return listed(conditionEvent(before, after));
  return after.reason === 'Started' || after.reason === 'TaskRunPending' ? [started] : [started, eventOf(after)];
}

/** That a run has begun. */
export const started: EventText = { type: 'Normal', reason: 'Started', message: '' };
const listed = (event: EventText | undefined) => (event ? [event] : []);

/** The same for one change: of a run that has just begun, only that it did. */
export function conditionEvent(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
): EventText | undefined {
  if (!after || equalJson(withoutTime(before), withoutTime(after))) return undefined;
  return before === undefined && after.status === 'Unknown' ? started : eventOf(after);
}

function eventOf({ status, reason = '', message = '' }: RunCondition): EventText {
  if (status === 'True') return { type: 'Normal', reason: 'Succeeded', message };
  if (status === 'False') return { type: 'Warning', reason: 'Failed', message };
  return { type: 'Normal', reason, message };
}

function withoutTime(condition: RunCondition | undefined): unknown {
  if (!condition) return undefined;
  const { lastTransitionTime: _, ...rest } = condition;
  return rest;
}
