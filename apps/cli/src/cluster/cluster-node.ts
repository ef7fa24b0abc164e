import type { ClusterNode, NetworkName, RuntimeName } from '@tektite/cluster';
import type { ImageMapping } from '@tektite/node';
import type { PullProgress } from '@tektite/oci';
import { readRegistrySettings } from '../image/registry-settings.ts';
import { ownImage } from '../release/own-program.ts';
import { pipelinesImages, shellImage } from '../systems/pipelines.ts';

export interface ClusterNodeOptions {
  readonly runtime: RuntimeName;
  readonly network: NetworkName;
  /** Routes from this machine to Pods and Services. */
  readonly routes?: boolean | undefined;
  readonly onNotice: (text: string) => void;
  /** Images mapped to this machine. */
  readonly images?: ImageMapping | undefined;
  /** Called with the bytes of pulls as they come. */
  readonly onPull?: ((progress: PullProgress) => void) | undefined;
}

/** This machine as a node that has Tekton's own images, and reaches registries as the user has set. */
export async function clusterNode(options: ClusterNodeOptions): Promise<ClusterNode> {
  const { runtime, network, routes, onNotice, images, onPull } = options;
  const pulls = runtime === 'images' || runtime === 'auto';
  return {
    runtime,
    network,
    ...(routes ? { routes } : {}),
    images: async (dataDir) => ({ ...(await pipelinesImages(dataDir, onNotice)), ...images }),
    ownImages: [shellImage, ownImage],
    ...(pulls ? { registries: await readRegistrySettings(undefined) } : {}),
    ...(onPull ? { onPull } : {}),
  };
}
