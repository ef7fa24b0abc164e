import { mergePatch } from '@tektite/client';
import { equalJson } from '@tektite/meta';
import { TaskRun as TaskRunKind } from '../kinds/kinds.ts';
import { conditionEvents } from './condition-event.ts';
import { retriedStatus } from './end.ts';
import { succeededCondition } from './life.ts';
import { released } from './run-labels.ts';
import type { TaskRunLook } from './task-run-look.ts';

/** Writes what the look found, once, and tells users of it. A run that failed and has attempts left begins the next. */
export async function finish(run: TaskRunLook, failure?: Error): Promise<void> {
  const { original, context } = run;
  run.status = retriedStatus(run.taskRun, run.status, run.now) ?? run.status;
  if (!equalJson(original.status, run.status)) await context.writeStatus(original, run.status);
  for (const event of conditionEvents(succeededCondition(original.status), succeededCondition(run.status)))
    context.event(event);
  measure(run);
  if (failure) context.event({ type: 'Warning', reason: 'InternalError', message: failure.message });
  await writeMetadata(run);
}

function measure({ original, status, taskRun, context, options, now }: TaskRunLook): void {
  const before = succeededCondition(original.status);
  const after = succeededCondition(status);
  options.metrics?.looked(context.key, taskRun, after);
  const isNews = !equalJson(before, after);
  if (after && after.status !== 'Unknown' && isNews) options.metrics?.ended(taskRun, status, after, now);
}

/** Apart from the status, as it is not part of it. Who writes something else at the same time keeps it. */
async function writeMetadata({ taskRun, original, options, context }: TaskRunLook): Promise<void> {
  const { labels, annotations } = released(taskRun, options.release).metadata;
  const { name = '', namespace = '' } = original.metadata;
  if (equalJson(labels, original.metadata.labels) && equalJson(annotations, original.metadata.annotations)) return;
  const patch = mergePatch({ metadata: { labels, annotations } });
  await context.client.patch(TaskRunKind, { namespace, name }, patch, { signal: context.signal });
}
