import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { Informer, type RunningSystems, startSystems, type System } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { SimulatedRuntime, startNode } from '@tektite/node';
import { type PipelineRun, pipelinesSystem, PipelineRunKind } from '@tektite/pipelines';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { startWorkloads } from '@tektite/workloads';

const images = {
  entrypoint: 'entrypoint',
  nop: 'nop',
  sidecarLogResults: 'results',
  workingDirInit: 'dirs',
  shell: 'sh',
};

/** How often the controllers looked at their objects, by the controllers' names. */
export type Looks = Map<string, number>;

/** Tekton on an embedded control plane with a simulated node: everything but the programs in the steps. */
export interface PipelineBench extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly looks: Looks;
  /** Resolves when a run is over, with how often its status changed meanwhile. */
  ended(name: string): Promise<number>;
}

export async function startBench(): Promise<PipelineBench> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const plane = await startControlPlane();
  const looks: Looks = new Map();
  const workloads = await startWorkloads({ client: plane.client });
  const node = await startNode({
    client: plane.client,
    runtime: new SimulatedRuntime(),
    dataDir: join(folder, 'node'),
  });
  const service = { namespace: 'default', name: 'bench' };
  const running: RunningSystems = await startSystems([counted(pipelinesSystem({ images }), looks)], {
    client: plane.client,
    webhooks: { host: plane.server.localWebhooks, service },
  });
  await plane.client
    .create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'default' } })
    .catch(() => undefined);
  const watching = new Watching(plane);
  await watching.synced();
  return {
    plane,
    looks,
    ended: (name) => watching.ended(name),
    async [Symbol.asyncDispose]() {
      await watching.stop();
      await running.stop();
      await node[Symbol.asyncDispose]();
      await workloads.stop();
      await plane.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same system; each reconcile is counted. */
function counted(system: System, looks: Looks): System {
  const count = (controllers: System['controllers']) =>
    (controllers ?? []).map((controller) => ({
      ...controller,
      reconcile(...args: Parameters<typeof controller.reconcile>) {
        looks.set(controller.name, (looks.get(controller.name) ?? 0) + 1);
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

class Watching {
  private readonly informer: Informer<PipelineRun, PipelineRun>;
  private readonly waiting = new Map<string, (changes: number) => void>();
  private readonly changes = new Map<string, number>();

  constructor(plane: ControlPlane) {
    this.informer = new Informer<PipelineRun, PipelineRun>(plane.client, PipelineRunKind);
    const tell = (run: PipelineRun, before?: KubeObject) => this.tell(run, before as PipelineRun | undefined);
    this.informer.addHandler({ added: (run) => tell(run), modified: tell });
  }

  synced(): Promise<void> {
    return this.informer.start().synced();
  }

  stop(): Promise<void> {
    return this.informer.stop();
  }

  ended(name: string): Promise<number> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  private tell({ metadata, status }: PipelineRun, before: PipelineRun | undefined): void {
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
