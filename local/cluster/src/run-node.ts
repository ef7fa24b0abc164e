import type { Client } from '@tektite/client';
import {
  clientObjects,
  findImage,
  HostRuntime,
  type ImageMapping,
  MachineImageService,
  type NodeOptions,
  PodmanRuntime,
  type PodNetwork,
  SimulatedRuntime,
  startNode,
  StoreImageService,
} from '@tektite/node';
import { defaultStoreFolder, LazyImageStore } from '@tektite/oci';
import type { ClusterNode } from './cluster-options.ts';
import { type ClusterPart, componentClient } from './cluster-part.ts';
import { clusterDns, podApiAddress } from './network-addresses.ts';
import { nodeFolders } from './node-folders.ts';
import { runClusterNetwork } from './run-cluster-network.ts';
import { shellImages, shellReplacement } from './shell-images.ts';
import type { Started } from './start-together.ts';

interface NodePart extends ClusterPart {
  readonly node: ClusterNode;
  readonly folder: string;
  /** The network of Pods. Absent: the machine's. */
  readonly network: PodNetwork | undefined;
  /** Where the API is on this machine. */
  readonly api: { readonly host: string; readonly port: number };
}

/** Makes this machine the node of the cluster, and serves the addresses of its Services. */
export async function runNode(options: NodePart, started: Started): Promise<void> {
  const { serviceProxy = true, name, maxPods, labels, taints } = options.node;
  const { network, api } = options;
  const { dataDir, runtime, claims } = nodeFolders(options.folder);
  const client = componentClient(options, 'kubelet', 'system:node', started);
  // Pods ask for names at once.
  if (network) await runNetwork(options, started);
  const node = await startNode({
    ...(name === undefined ? {} : { name }),
    ...(maxPods === undefined ? {} : { maxPods }),
    ...(labels ? { labels } : {}),
    ...(taints ? { taints } : {}),
    client,
    ...(await openRuntime(options, client, { dataDir, directory: runtime }, started)),
    dataDir,
    protectedFolders: [options.folder, options.node.imageStore ?? defaultStoreFolder()],
    claimsFolder: claims,
    ...(network ? { network, dns: clusterDns, networkApi: podApiAddress } : {}),
    api: { host: api.host, port: api.port },
    onError: (error) => options.log.error('node', { error }),
  });
  started.push(async () => node[Symbol.asyncDispose]());
  if (serviceProxy && !network) await runNetwork(options, started);
  const registration = options.server.nodes.register(node.name, node);
  started.push(async () => registration[Symbol.dispose]());
}

async function runNetwork(options: NodePart, started: Started): Promise<void> {
  const client = componentClient(options, 'kube-proxy', 'system:kube-proxy', started);
  const { network, api, onNotice } = options;
  await runClusterNetwork({ client, network, api, onNotice }, started);
}

/** A machine that gets a network uses it after this time. */
const rememberOfflineMs = 5 * 60_000;

type NodeRuntime = Pick<NodeOptions, 'runtime' | 'images'>;

async function openRuntime(
  { node, folder, clock, network, onNotice }: NodePart,
  client: Client,
  { dataDir, directory }: { readonly dataDir: string; readonly directory: string },
  started: Started,
): Promise<NodeRuntime> {
  const { runtime, ownImages = [] } = node;
  if (typeof runtime === 'object') return { runtime };
  if (runtime === 'podman') return { runtime: new PodmanRuntime({ directory }) };
  if (runtime === 'simulated') return { runtime: new SimulatedRuntime({ clock, answersProbes: true }) };
  const mapped = (await imagesOf(node, dataDir)) ?? {};
  const images: ImageMapping = { ...shellImages(), ...mapped };
  const common = { directory, images, ownImages, hide: [folder], onNotice, ...(network ? { network } : {}) };
  if (runtime === 'host') return { runtime: new HostRuntime(common) };
  const { imageStore, registries, onPull } = node;
  const store = new LazyImageStore({
    ...(imageStore === undefined ? {} : { folder: imageStore }),
    ...(registries ? { registries } : {}),
  });
  started.push(() => store[Symbol.asyncDispose]());
  const service = new MachineImageService({
    images: new StoreImageService({
      store,
      objects: clientObjects(client),
      clock,
      ...(onPull ? { onProgress: (_, progress) => onPull(progress) } : {}),
    }),
    isOwn: (image) => ownImages.includes(image) || isMapped(mapped, image),
    ...(runtime === 'auto' ? { offline: { replacement: shellReplacement, rememberMs: rememberOfflineMs, clock } } : {}),
    hint: 'Ways out: `tektite image load` puts an image into the store from a file, `--images FILE` names a folder or programs of this machine for it, `--runtime host` uses the programs of this machine for all images',
    onNotice,
  });
  return { runtime: new HostRuntime({ ...common, usesImages: true }), images: service };
}

async function imagesOf({ images }: ClusterNode, dataDir: string): Promise<ImageMapping | undefined> {
  return typeof images === 'function' ? images(dataDir) : images;
}

function isMapped(mapping: ImageMapping, image: string): boolean {
  return Object.keys(findImage(mapping, image)).length > 0;
}
