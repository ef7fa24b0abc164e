import { mergePatch } from '@tektite/client';
import type { EventText } from '@tektite/controller';
import { equalJson } from '@tektite/meta';
import { TaskRun as TaskRunKind } from '../../../kinds/kinds.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { conditionEvents, started } from '../../../conditions/condition-event.ts';
import { retriedStatus } from '../decide/end.ts';
import { succeededCondition } from '../decide/life.ts';
import { released } from '../decide/run-labels.ts';
import type { TaskRunLook } from '../task-run-look.ts';

/** Writes what the look found, once, and tells users of it. A run that failed and has attempts left begins the next. */
export async function finish(run: TaskRunLook, failure?: Error): Promise<void> {
  const { original, context } = run;
  run.status = retriedStatus(run.taskRun, run.status, run.now) ?? run.status;
  // Labels before the status, as upstream: who waits for a state and then writes the run finds it as it stays.
  const target = await writeMetadata(run);
  if (!equalJson(original.status, run.status)) await context.writeStatus(target, run.status);
  for (const event of eventsOf(run)) context.event(event);
  measure(run);
  if (failure) context.event({ type: 'Warning', reason: 'InternalError', message: failure.message });
}

/**
 * A run whose Task is not there yet, or does not fit, is told of as if nothing had been known of it before, as upstream does it: that it waits,
 * or is tried again, is told by the condition alone.
 */
function eventsOf({ original, status, isUnfit }: TaskRunLook): readonly EventText[] {
  const before = succeededCondition(original.status);
  const events = conditionEvents(before, succeededCondition(status));
  return isUnfit ? [...new Set(events.map((event) => (isPassing(event) ? started : event)))] : events;
}

const isPassing = ({ reason }: EventText) => reason !== 'Failed' && reason !== 'Succeeded';

function measure({ original, status, taskRun, context, options, now }: TaskRunLook): void {
  const before = succeededCondition(original.status);
  const after = succeededCondition(status);
  options.metrics?.looked(context.key, taskRun, after);
  const isNews = !equalJson(before, after);
  if (after && after.status !== 'Unknown' && isNews) options.metrics?.ended(taskRun, status, after, now);
}

/** Apart from the status, as it is not part of it. Who writes something else at the same time keeps it. Gives the run as it is then. */
async function writeMetadata({ taskRun, original, options, context }: TaskRunLook): Promise<TaskRun> {
  const { labels, annotations } = released(taskRun, options.release).metadata;
  const { metadata } = original;
  if (equalJson(labels, metadata.labels) && equalJson(annotations, metadata.annotations)) return original;
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const patch = mergePatch({ metadata: { labels, annotations } });
  const { metadata: written } = await context.client.patch(TaskRunKind, key, patch, { signal: context.signal });
  return { ...original, metadata: { ...metadata, resourceVersion: written.resourceVersion ?? '' } };
}
