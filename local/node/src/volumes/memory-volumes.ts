import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Where volumes in memory lie that belong to the node with this folder. */
export function memoryVolumes(dataDir: string): string {
  return join('/dev/shm', `tektite-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);
}
