import { startWorkloads } from '@tektite/workloads';
import type { ComponentOptions } from './component.ts';
import type { PodScript } from './decide-pod.ts';
import { startSimulatedNode } from './simulated-node.ts';
import type { World } from './world.ts';

export interface BuiltInOptions extends Pick<ComponentOptions, 'rates'> {
  /** The names of the nodes. Default one, `node-1`. */
  readonly nodes?: readonly string[];
  /** The behaviour of containers whose Pods have no annotation. */
  readonly script?: PodScript;
}

/** Volumes have no folders here: there are no files in a simulation. */
const storage = {
  directory: '/simulated',
  createFolder: () => Promise.resolve(),
  removeFolder: () => Promise.resolve(),
};

/**
 * Adds what every cluster has, as components: the built-in controllers (`kube-controller-manager`) and nodes. Resolves when they have
 * started.
 */
export async function addBuiltInControllers(world: World, options: BuiltInOptions = {}): Promise<void> {
  const { nodes = ['node-1'], script, ...rates } = options;
  const started = { ...rates, fieldManager: 'kube-controller-manager' };
  await world.component(
    'kube-controller-manager',
    async (client) => {
      await startWorkloads({ client, rootCertificate: 'simulated', storage });
    },
    started,
  );
  for (const name of nodes)
    await world.component(name, (client) => startSimulatedNode(client, name, script), {
      ...rates,
      fieldManager: 'kubelet',
    });
}
