import { isStatusError, isTransient } from '@tektite/meta';
import { Task, type TaskObject } from '../../../kinds/kinds.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { fetchTask, type RemotePlace } from '../../../resolution/fetch-remote.ts';
import { isRemotePending, isRemoteFailure } from '../../../resolution/remote-failure.ts';
import { paramReplacements } from '../../../substitution/param-replacements.ts';
import { replaceText, replaceValue } from '../../../substitution/replace-text.ts';
import { ReplacementSet } from '../../../substitution/replacements.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import type { ResolvedTask } from '../decide/observation.ts';
import { contextVariables } from '../decide/task-variables.ts';

/**
 * Resolves the Task of a run. An embedded Task is read from the run each time; a referenced one is read once and recorded in the
 * status, so that a run does not change when its Task does.
 *
 * Throws a `RunWaits` while the Task is being fetched, a `RunFailure` for a terminal error, and transient errors as they are.
 */
export async function resolveTask(taskRun: TaskRun, place: RemotePlace): Promise<ResolvedTask> {
  const { spec, status, metadata } = taskRun;
  const { name: runName = '', namespace = '' } = metadata;
  const { name = '', resolver = '' } = spec.taskRef ?? {};
  if (name === '' && spec.taskSpec) return { spec: spec.taskSpec, name: runName, labels: {}, annotations: {} };
  if (spec.taskRef && status?.taskSpec) {
    const { refSource } = status.provenance ?? {};
    const known = { spec: status.taskSpec, name: name || runName, labels: {}, annotations: {} };
    return { ...known, ...(refSource ? { refSource } : {}) };
  }
  // Upstream prefixes errors of references by name only.
  const prefix = name === '' ? '' : `error when listing tasks for taskRun ${runName}: `;
  try {
    if (resolver !== '') return await remoteTask(taskRun, resolver, place);
    return found(await place.client.get(Task, { namespace, name }, { signal: place.signal }));
  } catch (error) {
    throw resolutionFailure(error, prefix, {
      reason: 'ResolvingTaskRef',
      message: `TaskRun ${namespace}/${runName} awaiting remote resource`,
    });
  }
}

async function remoteTask(taskRun: TaskRun, resolver: string, place: RemotePlace): Promise<ResolvedTask> {
  const { params = [], taskRef } = taskRun.spec;
  const known = new ReplacementSet()
    .addAll(paramReplacements([], params, 'task'))
    .addAll(contextVariables(taskRun, ''));
  const reference = {
    resolver,
    params: (taskRef?.params ?? []).map((param) => ({ ...param, value: replaceValue(param.value, known) })),
    ...(taskRef?.name ? { url: replaceText(taskRef.name, known) } : {}),
  };
  const { object, refSource, verification } = await fetchTask(taskRun, reference, place);
  return { ...found(object), verification, ...(refSource ? { refSource } : {}) };
}

function found({ metadata, spec }: TaskObject): ResolvedTask {
  const { name = '', labels = {}, annotations = {} } = metadata;
  return { spec, name, labels, annotations };
}

/** The error of a resolution as the run's condition reports it. Transient errors are returned as they are. */
export function resolutionFailure(
  error: unknown,
  prefix: string,
  waiting: { readonly reason: string; readonly message: string },
): unknown {
  if (isRemotePending(error)) return new RunWaits(waiting.reason, waiting.message);
  if (isRemoteFailure(error)) {
    const reason = error.stage === 'validation' ? 'TaskValidationFailed' : 'TaskRunResolutionFailed';
    return new RunFailure(reason, prefix + error.message, { cause: error, isUserError: error.isUserError });
  }
  if (!isStatusError(error)) return error;
  if (isTransient(error) || error.code === 409) return error;
  return new RunFailure('TaskRunResolutionFailed', prefix + error.message, { cause: error });
}
