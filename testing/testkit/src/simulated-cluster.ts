import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SimulatedRuntime, type SimulatedRuntimeOptions, startNode } from '@tektite/node';
import { startWorkloads } from '@tektite/workloads';
import type { VirtualClock } from './virtual-clock.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';

export interface SimulatedClusterOptions extends ControlPlaneOptions {
  /** The behaviour of containers whose Pods do not specify one. Default: they run until they are stopped. */
  readonly simulate?: SimulatedRuntimeOptions['simulate'];
}

/**
 * Adds the built-in controllers to a control plane: workloads, garbage collection, service accounts, volumes, and a
 * node whose containers are simulated. Stops when it is disposed of.
 */
export async function runSimulatedNode(
  plane: ControlPlane,
  simulate: SimulatedRuntimeOptions['simulate'] = () => ({}),
): Promise<AsyncDisposable> {
  const { clock } = plane;
  const folder = await mkdtemp(join(tmpdir(), 'tektite-cluster-'));
  const user = (name: string) => plane.clientFor({ name, groups: ['system:masters'] }, { fieldManager: name });
  const workloads = await startWorkloads({
    client: user('kube-controller-manager'),
    rootCertificate: 'simulated',
    storage: {
      directory: join(folder, 'volumes'),
      createFolder: async (path) => void (await mkdir(path, { recursive: true })),
      removeFolder: (path) => rm(path, { recursive: true, force: true }),
    },
  });
  const runtime = new SimulatedRuntime({ clock, simulate, answersProbes: true });
  const node = await startNode({ client: user('kubelet'), runtime, name: 'simulated', dataDir: join(folder, 'node') });
  const registration = plane.server.nodes.register(node.name, node);
  const stop = async (): Promise<void> => {
    await node[Symbol.asyncDispose]();
    await workloads.stop();
  };
  return {
    async [Symbol.asyncDispose]() {
      registration[Symbol.dispose]();
      // Containers take their time to end, and so do requests that wait to be tried again.
      await ('until' in clock ? (clock as VirtualClock).until(stop()) : stop());
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A control plane with the built-in controllers and a simulated node.
 *
 * @example await using cluster = await startSimulatedCluster(); await applyManifest(cluster.client, release); // its
 * Deployments become available
 */
export async function startSimulatedCluster(options: SimulatedClusterOptions = {}): Promise<ControlPlane> {
  const { simulate, ...rest } = options;
  const plane = await startControlPlane({ disabledAdmissionPlugins: [], ...rest });
  const node = await runSimulatedNode(plane, simulate);
  const close = async (): Promise<void> => {
    await node[Symbol.asyncDispose]();
    await plane.close();
  };
  return { ...plane, close, [Symbol.asyncDispose]: close };
}
