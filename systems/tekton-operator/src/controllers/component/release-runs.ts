import { type Client, ignoreNotFound, isConflict, mergePatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { runKinds } from '../../event-pruner/pruned-run.ts';

/**
 * Removes from runs the finalizers that controllers of a deleted component left. Without it, such runs could never be deleted:
 * upstream leaves that to users. Returns whether all are removed; a run that another writer changed meanwhile is left for the next time.
 */
export async function releaseRuns(client: Client, prefix: string): Promise<boolean> {
  let isComplete = true;
  for (const { kind } of Object.values(runKinds))
    for (const run of await runsOf(client, kind)) {
      const { name = '', namespace = '', resourceVersion, finalizers = [] } = run;
      const kept = finalizers.filter((finalizer) => !finalizer.startsWith(prefix));
      if (kept.length === finalizers.length) continue;
      try {
        const patch = mergePatch({ metadata: { finalizers: kept, ...(resourceVersion ? { resourceVersion } : {}) } });
        await client.patch(kind, { namespace, name }, patch).catch(ignoreNotFound);
      } catch (error) {
        if (!isConflict(error)) throw error;
        isComplete = false;
      }
    }
  return isComplete;
}

/** The metadata of all runs; none where their definition is deleted already. */
async function runsOf(client: Client, kind: (typeof runKinds)[keyof typeof runKinds]['kind']) {
  const found = [];
  try {
    for await (const { metadata } of client.listAll(kind, { metadataOnly: true })) found.push(metadata);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
  return found;
}
