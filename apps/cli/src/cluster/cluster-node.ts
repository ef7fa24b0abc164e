import type { ClusterNode, RuntimeName } from '@tektite/cluster';
import type { ImageMapping } from '@tektite/node';
import { pipelinesImages, shellImage } from '../systems/pipelines.ts';

/** This machine as a node that has Tekton's own images. */
export function clusterNode(
  runtime: RuntimeName,
  onNotice: (text: string) => void,
  images?: ImageMapping,
): ClusterNode {
  return {
    runtime,
    images: async (dataDir) => ({ ...(await pipelinesImages(dataDir, onNotice)), ...images }),
    ownImages: [shellImage],
  };
}
