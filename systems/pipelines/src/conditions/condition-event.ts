import { equalJson } from '@tektite/meta';
import type { EventText } from '@tektite/controller/events';
import type { RunCondition } from '../kinds/run-status.ts';

/**
 * The Events of a changed condition; none for an unchanged one. A run that starts reports that first. As upstream does, a run that
 * may not start yet reports nothing else.
 */
export function conditionEvents(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
): readonly EventText[] {
  if (before !== undefined || after === undefined) return listed(conditionEvent(before, after));
  return after.reason === 'Started' || after.reason === 'TaskRunPending'
    ? [startedEvent]
    : [startedEvent, eventOf(after)];
}

export const startedEvent: EventText = { type: 'Normal', reason: 'Started', message: '' };
const listed = (event: EventText | undefined) => (event ? [event] : []);

/** The same for one change: a run that starts reports only the start. */
export function conditionEvent(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
): EventText | undefined {
  if (!after || equalJson(withoutTime(before), withoutTime(after))) return undefined;
  return before === undefined && after.status === 'Unknown' ? startedEvent : eventOf(after);
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
