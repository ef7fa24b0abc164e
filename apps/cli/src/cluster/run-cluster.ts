import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiServer, inProcessTransport } from '@tektite/apiserver';
import { type KeyPair, signRequest } from '@tektite/certificates';
import { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import {
  type ImageMapping,
  HostRuntime,
  PodmanRuntime,
  type PodRuntime,
  removeTree,
  ServiceProxy,
  SimulatedRuntime,
  startNode,
} from '@tektite/node';
import { systemClock } from '@tektite/meta';
import { startWorkloads } from '@tektite/workloads';
import { pipelinesImages, shellImage } from '../systems/pipelines.ts';
import { nodeFolders } from './node-folders.ts';
import { shellImages } from './shell-images.ts';
import { type Started, startTogether } from '../start-together.ts';
import type { RuntimeName } from './runtimes.ts';

export interface ClusterOptions {
  readonly server: ApiServer;
  readonly runtime: RuntimeName;
  /** Replaces images where containers are processes of this machine. */
  readonly images?: ImageMapping;
  /** The data folder of the control plane. */
  readonly folder: string;
  /** The authority that signs, and all that are trusted. Both may change while the cluster runs. */
  readonly pki: { readonly authority: KeyPair; readonly bundle: string };
  /** Where Pods reach the API. */
  readonly api: { readonly host: string; readonly port: number };
  /** Failures that are tried again. */
  readonly log: Logger;
  /** Called once with each fact that users should know and that is no failure. */
  readonly onNotice: (text: string) => void;
}

const aYear = 365 * 24 * 60 * 60;

/** Makes a cluster of an API server: the controllers that every cluster has, and this machine as its node. */
export async function runCluster(options: ClusterOptions, started: Started): Promise<void> {
  await startTogether(started, [
    (own) => runWorkloads(options, own),
    ...(options.runtime === 'none' ? [] : [(own: Started) => runNode(options, own)]),
  ]);
}

/** A client for a part of the cluster, which may do everything. */
function open({ server }: ClusterOptions, fieldManager: string, name: string, started: Started): Client {
  const client = new Client(inProcessTransport(server, { name, groups: ['system:masters'] }), { fieldManager });
  started.push(() => client.close());
  return client;
}

async function runWorkloads(options: ClusterOptions, started: Started): Promise<void> {
  const { folder, pki } = options;
  const workloads = await startWorkloads({
    client: open(options, 'kube-controller-manager', 'system:kube-controller-manager', started),
    log: options.log,
    rootCertificate: () => pki.bundle,
    certificates: {
      sign: ({ request, usages, expirationSeconds }) =>
        signRequest(pki.authority, request, {
          clock: systemClock,
          usages,
          validForMs: (expirationSeconds ?? aYear) * 1000,
        }),
    },
    storage: {
      directory: join(folder, 'volumes'),
      createFolder: async (path) => void (await mkdir(path, { recursive: true, mode: 0o777 })),
      removeFolder: removeTree,
    },
  });
  started.push(() => workloads.stop());
}

async function runNode(options: ClusterOptions, started: Started): Promise<void> {
  const node = await startOwnNode(options, open(options, 'kubelet', 'system:node', started));
  started.push(async () => node[Symbol.asyncDispose]());
  const proxy = new ServiceProxy({
    client: open(options, 'kube-proxy', 'system:kube-proxy', started),
    onError: ({ message }) => options.onNotice(message),
  });
  started.push(async () => proxy[Symbol.asyncDispose]());
  await proxy.start();
  const registration = options.server.nodes.register(node.name, node);
  started.push(async () => registration[Symbol.dispose]());
}

async function startOwnNode(options: ClusterOptions, client: Client) {
  const { dataDir, runtime } = nodeFolders(options.folder);
  const images = { ...shellImages(), ...(await pipelinesImages(dataDir, options.onNotice)), ...options.images };
  return startNode({
    client,
    runtime: openRuntime(options, runtime, images),
    dataDir,
    api: options.api,
    onError: (error) => options.log.error('node', { error }),
  });
}

function openRuntime(
  { runtime, folder, onNotice }: ClusterOptions,
  directory: string,
  images: ImageMapping,
): PodRuntime {
  switch (runtime) {
    case 'podman':
      return new PodmanRuntime({ directory });
    case 'simulated':
      return new SimulatedRuntime({ answersProbes: true });
    default:
      return new HostRuntime({ directory, images, ownImages: [shellImage], hide: [folder], onNotice });
  }
}
