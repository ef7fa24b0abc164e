import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ClusterBinaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
}

/** In `KUBEBUILDER_ASSETS` if that is set, otherwise on the PATH. */
export function clusterBinaries(env: NodeJS.ProcessEnv = process.env): ClusterBinaries {
  const assets = env['KUBEBUILDER_ASSETS'];
  const folders = assets ? [assets] : (env['PATH'] ?? '').split(delimiter);
  return { etcd: find('etcd', folders), kubeApiserver: find('kube-apiserver', folders) };
}

function find(name: string, folders: readonly string[]): string {
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (!path)
    throw new Error(
      `${name} was found neither in KUBEBUILDER_ASSETS nor on the PATH; \`npm run test:cluster\` finds or builds it`,
    );
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Newer versions of etcd have a flag that gives up durability, which makes them several times as fast. */
export function takesNoFsync(etcd: string): boolean {
  return execFileSync(etcd, ['--help'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).includes(
    '--unsafe-no-fsync',
  );
}
