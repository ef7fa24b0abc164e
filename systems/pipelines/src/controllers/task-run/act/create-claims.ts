import { kinds } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { isStatusError, isTransient } from '@tektite/meta';
import { RunFailure } from '../../../conditions/run-failure.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { claimsOf } from '../../../workspace/claim-templates.ts';

/** Creates a volume claim for each workspace with a template. Their names follow from the run, so a repeated call creates none. */
export async function createClaims(taskRun: TaskRun, { client, signal }: ReconcileContext): Promise<void> {
  for (const claim of claimsOf(taskRun.spec.workspaces ?? [], taskRun)) {
    try {
      await client.create(kinds.PersistentVolumeClaim, claim, { signal });
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) continue;
      if (!isStatusError(error) || isTransient(error)) throw error;
      const { name = '', namespace = '' } = taskRun.metadata;
      const why = `PVC creation error for ${claim.metadata.name}: ${error.message}`;
      const message = `failed to create PVC for TaskRun ${namespace}/${name} workspaces correctly: ${why}`;
      throw new RunFailure('CouldntCreateWorkspacePVC', message, { cause: error });
    }
  }
}
