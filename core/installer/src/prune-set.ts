import { isClientError } from '@tektite/client';
import { type DynamicObject, isControlledBy, isStatusError, type KubeObject } from '@tektite/meta';
import { deleteObject } from './act-on-object.ts';
import type { InstallerDialect } from './dialect.ts';
import type { InventoryEntry } from './installer-set.ts';
import { entryKey, entryReference, objectKey } from './inventory.ts';
import { readIfKnown } from './read-object.ts';
import type { SetInstallation } from './set-installation.ts';

export interface PruneOutcome {
  /** No more of interest: gone, kept on purpose, or not ours. */
  readonly settled: ReadonlySet<string>;
  /** Deleted, and still there. */
  readonly waiting: boolean;
  readonly error?: Error;
}

/** Decides over an object that left its set. Pure. */
export function decidePrune(
  entry: InventoryEntry,
  live: DynamicObject | undefined,
  self: KubeObject,
  { prune, keptKinds }: Pick<InstallerDialect, 'prune' | 'keptKinds'>,
): 'settled' | 'delete' | 'wait' {
  if (!live || keptKinds.includes(entry.kind)) return 'settled';
  // Another object of the same name belongs to another owner.
  if (entry.uid !== undefined && live.metadata.uid !== entry.uid) return 'settled';
  if (!(prune?.mayDelete ?? isControlledBy)(live, self)) return 'settled';
  return live.metadata.deletionTimestamp ? 'wait' : 'delete';
}

/** Deletes what is in the inventory and not in the set any more. */
export async function pruneSet(
  installation: SetInstallation,
  before: readonly InventoryEntry[],
): Promise<PruneOutcome> {
  const { client, self, dialect, signal } = installation;
  const settled = new Set<string>();
  let waiting = false;
  const wanted = new Set(installation.wanted.map((object) => objectKey(installation.placed(object))));
  try {
    for (const entry of before.filter((each) => !wanted.has(entryKey(each)))) {
      signal?.throwIfAborted();
      const reference = entryReference(entry);
      const live = await readIfKnown(client, reference, signal);
      const decision = decidePrune(entry, live, self, dialect);
      if (decision === 'delete' && live) {
        await deleteObject(client, live, dialect.prune?.propagation?.(live) ?? 'Background', signal);
        installation.record(live, 'pruned');
      }
      if (decision === 'settled' || !(await readIfKnown(client, reference, signal))) settled.add(entryKey(entry));
      else waiting = true;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!isStatusError(error) && !isClientError(error)) throw error;
    return { settled, waiting: true, error };
  }
  return { settled, waiting };
}
