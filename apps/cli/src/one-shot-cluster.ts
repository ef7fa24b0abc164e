import { join } from 'node:path';
import { type NetworkName, type RuntimeName, type RunningCluster, startCluster } from '@tektite/cluster';
import type { Client } from '@tektite/client';
import type { Logger, System } from '@tektite/controller';
import type { ImageMapping } from '@tektite/node';
import type { PullProgress } from '@tektite/oci';
import { clusterNode } from './cluster/cluster-node.ts';
import { wantsTraces } from './observe/wants-traces.ts';
import { saveObjects } from './run/save-objects.ts';
import { openKeptFolder, openTemporaryFolder } from './temporary-folder.ts';

export interface OneShotOptions {
  readonly runtime: RuntimeName;
  /** The network of Pods. */
  readonly network: NetworkName;
  /** Images mapped to this machine. */
  readonly images?: ImageMapping;
  readonly systems: readonly System[];
  /** Keeps the folder with logs, volumes and, at its end, the objects. */
  readonly keep?: boolean;
  /** Failures that are tried again. */
  readonly log: Logger;
  /** Called with each fact that users should know and that is no failure. */
  readonly onNotice: (text: string) => void;
  /** Called with the bytes of pulls as they come. */
  readonly onPull?: (progress: PullProgress) => void;
}

/** A cluster for one piece of work. */
export interface OneShotCluster extends AsyncDisposable {
  readonly client: Client;
}

/**
 * Starts a cluster for one piece of work. All of it is in memory, and deleted when it is disposed of. The user waits for a run, so it
 * leaves out what only other clients need: a kubeconfig, keys on disk, and HTTP between its parts. Its API is served all the same:
 * containers may call it. Traces are sent where a collector is named.
 */
export async function startOneShotCluster(options: OneShotOptions): Promise<OneShotCluster> {
  const { keep, onNotice, onPull, systems, log, images, runtime, network } = options;
  const folder = keep ? { path: await openKeptFolder(), remove: undefined } : await openTemporaryFolder();
  const observed = wantsTraces() ? (await import('./systems/observe-systems.ts')).observeSystems() : undefined;
  let cluster: RunningCluster | undefined;
  const close = async () => {
    try {
      if (keep && cluster) await saveObjects(cluster.client, join(folder.path, 'objects.yaml'));
    } finally {
      await cluster?.close();
      await observed?.close();
      if (folder.remove) await folder.remove();
      else onNotice(`kept in ${folder.path}: objects.yaml, node/logs, volumes`);
    }
  };
  try {
    cluster = await startCluster({
      folder: folder.path,
      node: await clusterNode({ runtime, network, onNotice, images, onPull }),
      systems,
      ...(observed ? { systemsOptions: { observe: observed.transport } } : {}),
      log,
      onNotice,
    });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return { client: cluster.client, [Symbol.asyncDispose]: close };
}
