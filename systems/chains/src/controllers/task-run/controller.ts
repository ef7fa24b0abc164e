import { type ControllerDefinition, defineController } from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import { isManagedHere } from '../../config/chains-config.ts';
import { isCompleted, keyOfMetadata, TaskRun } from '../../kinds/runs.ts';
import { isReconciled } from '../../storage/annotations.ts';
import { signRun, type SigningOptions } from '../sign-run.ts';

/** As much of a TaskRun as decides whether it is signed; the rest is read when it is. */
const transform = project(TaskRun, {
  metadata: { annotations: true, ownerReferences: true },
  spec: { managedBy: true },
  status: { conditions: true },
});
type Cached = ReturnType<typeof transform>;

/** Signs TaskRuns that have completed, also those that are deleted before it came to them. */
export function taskRunController(options: SigningOptions): ControllerDefinition {
  const isDue = (run: Cached) =>
    isManagedHere(run.spec?.managedBy, options.config()) && isCompleted(run as TaskRun) && !isReconciled(run);
  const reconcile: Parameters<typeof defineController<TaskRun, Cached>>[0]['reconcile'] = async (
    cached,
    { client, signal },
  ) => {
    if (!isDue(cached)) return;
    const run = await client.get(TaskRun, keyOfMetadata(cached.metadata));
    if (isCompleted(run) && !isReconciled(run)) await signRun({ kind: 'TaskRun', run }, client, options, signal);
  };
  return defineController<TaskRun, Cached>({
    name: 'chains-taskrun',
    kind: TaskRun,
    transform,
    finalizer: { name: 'chains.tekton.dev/taskrun', cleanup: reconcile },
    reconcile,
  });
}
