import { join } from 'node:path';

/** Where the node of a control plane has its files, below the folder of that. */
export function nodeFolders(folder: string): {
  readonly dataDir: string;
  readonly runtime: string;
  /** The data of claims. */
  readonly claims: string;
} {
  const dataDir = join(folder, 'node');
  return { dataDir, runtime: join(dataDir, 'runtime'), claims: join(folder, 'volumes') };
}
