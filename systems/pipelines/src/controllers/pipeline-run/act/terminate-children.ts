import { jsonPatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { CustomRun, TaskRun } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { ChildReference } from '../../../kinds/pipeline-run-spec.ts';
import { cancelMessages, isOver } from '../decide/child-run.ts';
import { findChild } from '../observe/child-caches.ts';
import type { PipelineRunServices } from '../observe/pipeline-run-services.ts';

type Reason = 'cancelled' | 'timedOut';

/** Cancels children and returns the errors. Upstream cannot cancel child PipelineRuns, and reports that as an error. */
export async function terminateChildren(
  run: PipelineRun,
  children: readonly ChildReference[],
  reason: Reason,
  services: PipelineRunServices,
): Promise<readonly string[]> {
  const unknown = children.filter(({ kind }) => kind !== 'TaskRun' && kind !== 'CustomRun');
  const errors: string[] = [];
  if (unknown.length > 0) {
    const entries = unknown.map(({ name, kind = '' }) => `${name}:${kind}`).sort();
    errors.push(`found child objects of unknown kinds: map[${entries.join(' ')}]`);
  }
  for (const kind of ['TaskRun', 'CustomRun'] as const)
    for (const child of children) {
      if (child.kind !== kind) continue;
      const error = await terminateChild(run, kind, child.name, reason, services);
      const how = reason === 'cancelled' ? 'cancellation' : 'timeout';
      if (error !== undefined) errors.push(`failed to patch ${kind} \`${child.name}\` with ${how}: ${error}`);
    }
  return errors;
}

async function terminateChild(
  run: PipelineRun,
  kind: 'TaskRun' | 'CustomRun',
  name: string,
  reason: Reason,
  services: PipelineRunServices,
): Promise<string | undefined> {
  const status = kind === 'TaskRun' ? 'TaskRunCancelled' : 'RunCancelled';
  const statusMessage = cancelMessages[kind][reason];
  const { context } = services;
  const found = findChild(run, kind, name, services);
  if (!found) return undefined;
  const spec = found.spec as { readonly status?: string; readonly statusMessage?: string };
  // The webhook denies updates of completed TaskRuns. A cancelled child needs no second patch.
  if ((kind === 'TaskRun' && isOver(found)) || (spec.status === status && spec.statusMessage === statusMessage))
    return undefined;
  const patch = jsonPatch([
    { op: 'add', path: '/spec/status', value: status },
    { op: 'add', path: '/spec/statusMessage', value: statusMessage },
  ]);
  const key = { namespace: run.metadata.namespace ?? '', name };
  try {
    if (kind === 'TaskRun') await context.client.patch(TaskRun, key, patch, { signal: context.signal });
    else await context.client.patch(CustomRun, key, patch, { signal: context.signal });
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    if (isStatusError(error) && error.code === 400 && error.message.includes('no updates are allowed'))
      return undefined;
    if (!isStatusError(error)) throw error;
    return error.message;
  }
  return undefined;
}
