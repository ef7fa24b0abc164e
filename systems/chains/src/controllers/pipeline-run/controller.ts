import { type Client, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, owned } from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import { isManagedHere } from '../../config/chains-config.ts';
import { isCompleted, keyOfMetadata, PipelineRun, TaskRun } from '../../kinds/runs.ts';
import { isReconciled } from '../../storage/annotations.ts';
import { signRun, type SigningOptions } from '../sign-run.ts';

const transform = project(PipelineRun, {
  metadata: { annotations: true },
  spec: { managedBy: true },
  status: { conditions: true },
});
type Cached = ReturnType<typeof transform>;

/** TaskRuns wake their PipelineRun, which waits until they are signed. */
const taskRuns = owned(TaskRun, {
  transform: project(TaskRun, { metadata: { annotations: true, ownerReferences: true } }),
});

/** Signs PipelineRuns that have completed and whose TaskRuns are signed. */
export function pipelineRunController(options: SigningOptions): ControllerDefinition {
  const reconcile: Parameters<typeof defineController<PipelineRun, Cached>>[0]['reconcile'] = async (
    cached,
    { client, signal },
  ) => {
    if (!isManagedHere(cached.spec?.managedBy, options.config())) return;
    if (!isCompleted(cached as PipelineRun) || isReconciled(cached)) return;
    const run = await client.get(PipelineRun, keyOfMetadata(cached.metadata));
    if (!isCompleted(run) || isReconciled(run)) return;
    const children = await signedChildren(run, client);
    if (children !== undefined)
      await signRun({ kind: 'PipelineRun', run, taskRuns: children }, client, options, signal);
  };
  return defineController<PipelineRun, Cached>({
    name: 'chains-pipelinerun',
    kind: PipelineRun,
    transform,
    sources: [taskRuns],
    finalizer: { name: 'chains.tekton.dev/pipelinerun', cleanup: reconcile },
    reconcile,
  });
}

/**
 * The TaskRuns of a PipelineRun, all of them signed; `undefined` while one is not. One that was deleted keeps the
 * PipelineRun from ever being signed, as upstream: half of its provenance would be missing.
 */
async function signedChildren(
  { metadata, status }: PipelineRun,
  client: Client,
): Promise<readonly TaskRun[] | undefined> {
  const children: TaskRun[] = [];
  for (const { name = '', kind } of status?.childReferences ?? []) {
    if (kind !== undefined && kind !== '' && kind !== 'TaskRun') return undefined;
    const child = await client.get(TaskRun, keyOfMetadata({ ...metadata, name })).catch(ignoreNotFound);
    if (child?.status?.completionTime === undefined || !isReconciled(child)) return undefined;
    children.push(child);
  }
  return children;
}
