import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCgroups } from './host/cgroup.ts';
import { endLeftovers } from './host/leftovers.ts';
import { nameFor } from './host/memory-folder.ts';
import { removeTree } from './volumes/remove-tree.ts';
import { memoryVolumes } from './volumes/memory-volumes.ts';

/**
 * Removes everything of a node that runs no more: its folder, and what belongs to that in memory and among the cgroups. A node
 * that was stopped has left only volumes for its next start; one that was killed, more.
 */
export async function removeNodeData(dataDir: string, runtimeDirectory: string): Promise<void> {
  const name = nameFor(runtimeDirectory);
  const memory = join('/dev/shm', name);
  // It is there only after a kill.
  if (existsSync(memory)) {
    endLeftovers(join(memory, 'containers'));
    findCgroups(name)?.close();
  }
  // One of another user with the same name is not ours to remove.
  for (const folder of [memory, memoryVolumes(dataDir)]) await removeTree(folder).catch(() => undefined);
  await removeTree(dataDir);
}
