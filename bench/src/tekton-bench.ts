import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { type RunningCluster, startCluster } from '@tektite/cluster';
import type { System } from '@tektite/controller';
import { Informer } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import { HostRuntime, type PodRuntime, SimulatedRuntime } from '@tektite/node';
import { entrypointProgram, type PipelineRun, pipelinesSystem, PipelineRunKind, TaskRunKind } from '@tektite/pipelines';
import { images } from './one-step.ts';

/** The number of reconciles, by controller. */
export type ReconcileCounts = Map<string, number>;

/** Tekton on an embedded control plane, with a node. */
export interface TektonBench extends AsyncDisposable {
  readonly cluster: RunningCluster;
  readonly reconciles: ReconcileCounts;
  /** Resolves when a run completes, with the number of its status changes. */
  ended(name: string): Promise<number>;
}

/** On a simulated node, that is everything but the programs in the steps; on the host, those too. */
export async function startBench(runtime: 'simulated' | 'host' = 'simulated'): Promise<TektonBench> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const reconciles: ReconcileCounts = new Map();
  const cluster = await startCluster({
    folder,
    node: {
      runtime: runtime === 'host' ? await hostRuntime(folder) : new SimulatedRuntime(),
      maxPods: 10_000,
      serviceProxy: false,
    },
    systems: [counted(pipelinesSystem({ images }), reconciles)],
  });
  await cluster.client
    .create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'default' } })
    .catch(() => undefined);
  const watching = new Watching(cluster);
  await watching.synced();
  return {
    cluster,
    reconciles,
    ended: (name) => watching.ended(name),
    async [Symbol.asyncDispose]() {
      await watching.stop();
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Processes of this machine. What Tekton's own containers run is the one program that `npm ci` compiles. */
async function hostRuntime(folder: string): Promise<PodRuntime> {
  const program = entrypointProgram();
  if (program === undefined)
    throw new Error('native/entrypoint is not compiled: run npm ci where there is a C compiler');
  const root = join(folder, 'image');
  await mkdir(join(root, 'ko-app'), { recursive: true });
  for (const name of ['entrypoint', 'nop', 'workingdirinit']) await copyFile(program, join(root, 'ko-app', name));
  const { shell: _, ...own } = images;
  const mapping = Object.fromEntries(Object.values(own).map((image) => [image, { root }]));
  return new HostRuntime({ directory: join(folder, 'runtime'), images: mapping });
}

/** The same system; each reconcile is counted. */
function counted(system: System, reconciles: ReconcileCounts): System {
  const count = (controllers: System['controllers']) =>
    (controllers ?? []).map((controller) => ({
      ...controller,
      reconcile(...args: Parameters<typeof controller.reconcile>) {
        reconciles.set(controller.name, (reconciles.get(controller.name) ?? 0) + 1);
        return controller.reconcile(...args);
      },
    }));
  const { configure } = system;
  if (!configure) return { ...system, controllers: count(system.controllers) };
  return {
    ...system,
    controllers: count(system.controllers),
    async configure(services) {
      const { system: configured, stop } = await configure(services);
      return { system: { ...configured, controllers: count(configured.controllers) }, stop };
    },
  };
}

type Run = Pick<PipelineRun, 'apiVersion' | 'kind' | 'metadata' | 'status'>;

class Watching {
  private readonly informers: readonly Informer<Run, Run>[];
  private readonly waiting = new Map<string, (changes: number) => void>();
  private readonly changes = new Map<string, number>();

  constructor({ client }: RunningCluster) {
    this.informers = [PipelineRunKind, TaskRunKind].map((kind) => new Informer<Run, Run>(client, kind));
    const observe = (run: Run, before?: KubeObject) => this.observe(run, before as Run | undefined);
    for (const informer of this.informers) informer.addHandler({ added: (run) => observe(run), modified: observe });
  }

  async synced(): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.start().synced()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.stop()));
  }

  ended(name: string): Promise<number> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  private observe({ metadata, status }: Run, before: Run | undefined): void {
    const { name = '' } = metadata;
    const now = status?.conditions?.[0];
    const then = before?.status?.conditions?.[0];
    if (now && (now.message !== then?.message || now.reason !== then?.reason))
      this.changes.set(name, (this.changes.get(name) ?? 0) + 1);
    if ((now?.status ?? 'Unknown') === 'Unknown') return;
    this.waiting.get(name)?.(this.changes.get(name) ?? 0);
    this.waiting.delete(name);
  }
}
