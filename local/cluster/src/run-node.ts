import {
  HostRuntime,
  type ImageMapping,
  PodmanRuntime,
  type PodRuntime,
  ServiceProxy,
  SimulatedRuntime,
  startNode,
} from '@tektite/node';
import type { ClusterNode } from './cluster-options.ts';
import { type ClusterPart, componentClient } from './cluster-part.ts';
import { nodeFolders } from './node-folders.ts';
import { shellImages } from './shell-images.ts';
import type { Started } from './start-together.ts';

interface NodePart extends ClusterPart {
  readonly node: ClusterNode;
  readonly folder: string;
  /** Where Pods reach the API. */
  readonly api: { readonly host: string; readonly port: number };
}

/** Makes this machine the node of the cluster, and serves the addresses of its Services. */
export async function runNode(options: NodePart, started: Started): Promise<void> {
  const { runtime: _, images: __, ownImages: ___, serviceProxy = true, ...settings } = options.node;
  const { dataDir, runtime } = nodeFolders(options.folder);
  const node = await startNode({
    ...settings,
    client: componentClient(options, 'kubelet', 'system:node', started),
    runtime: await openRuntime(options, dataDir, runtime),
    dataDir,
    api: { host: options.api.host, port: options.api.port },
    onError: (error) => options.log.error('node', { error }),
  });
  started.push(async () => node[Symbol.asyncDispose]());
  if (serviceProxy) await runServiceProxy(options, started);
  const registration = options.server.nodes.register(node.name, node);
  started.push(async () => registration[Symbol.dispose]());
}

async function runServiceProxy(options: NodePart, started: Started): Promise<void> {
  const proxy = new ServiceProxy({
    client: componentClient(options, 'kube-proxy', 'system:kube-proxy', started),
    onError: ({ message }) => options.onNotice(message),
  });
  started.push(async () => proxy[Symbol.asyncDispose]());
  await proxy.start();
}

async function openRuntime(
  { node, folder, clock, onNotice }: NodePart,
  dataDir: string,
  directory: string,
): Promise<PodRuntime> {
  switch (node.runtime) {
    case 'podman':
      return new PodmanRuntime({ directory });
    case 'simulated':
      return new SimulatedRuntime({ clock, answersProbes: true });
    case 'host': {
      const images: ImageMapping = { ...shellImages(), ...(await imagesOf(node, dataDir)) };
      return new HostRuntime({ directory, images, ownImages: node.ownImages ?? [], hide: [folder], onNotice });
    }
    default:
      return node.runtime;
  }
}

async function imagesOf({ images }: ClusterNode, dataDir: string): Promise<ImageMapping | undefined> {
  return typeof images === 'function' ? images(dataDir) : images;
}
