import { equalJson } from '@tektite/meta';
import type { EventText } from '@tektite/controller';
import type { RunCondition } from '../kinds/run-status.ts';

/** What users are told when the condition of a run changes; nothing when it did not. */
export function conditionEvent(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
): EventText | undefined {
  if (!after || equalJson(withoutTime(before), withoutTime(after))) return undefined;
  const message = after.message ?? '';
  if (after.status === 'True') return { type: 'Normal', reason: 'Succeeded', message };
  if (after.status === 'False') return { type: 'Warning', reason: 'Failed', message };
  if (before === undefined) return { type: 'Normal', reason: 'Started', message: '' };
  return { type: 'Normal', reason: after.reason ?? '', message };
}

function withoutTime(condition: RunCondition | undefined): unknown {
  if (!condition) return undefined;
  const { lastTransitionTime: _, ...rest } = condition;
  return rest;
}
