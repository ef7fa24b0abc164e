import { setTimeout as wait } from 'node:timers/promises';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { Informer, startSystems } from '@tektite/controller';
import { pipelinesSystem, type TaskRun, TaskRunKind } from '@tektite/pipelines';
import type { ContainerStatus, Pod } from '@tektite/schema/kubernetes';
import { startRealControlPlane } from '@tektite/testkit';
import type { Row } from '../table.ts';
import { images, oneStep } from './one-step.ts';

const namespace = 'default';
/** As many as Tekton was given for the figure beside ours. */
const concurrency = 32;

/**
 * TaskRuns on a real kube-apiserver, with Pods that are over as soon as they are there: what is measured is the controller,
 * and the server behind HTTPS. `undefined` where there is no such server.
 */
export async function benchRealServer(count: number): Promise<readonly Row[] | undefined> {
  if (!process.env['KUBEBUILDER_ASSETS']) return undefined;
  await using plane = await startRealControlPlane();
  if (plane.version.startsWith('v1.20.')) return undefined;
  await plane.client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'default' } });
  await using _running = await startSystems([pipelinesSystem({ images })], { client: plane.client, concurrency });
  await using runs = new RunsOnServer(plane.client);
  await runs.synced();
  for (let i = 0; i < 20; i++) await runs.run(`warm-${i}`);
  const alone: number[] = [];
  for (let i = 0; i < 20; i++) alone.push(await timed(() => runs.run(`alone-${i}`)));
  alone.sort((a, b) => a - b);
  const all = await timed(() => Promise.all(Array.from({ length: count }, (_, i) => runs.run(`many-${i}`))));
  return [
    { what: 'one alone, p50', value: alone[alone.length >> 1] ?? 0, unit: 'ms', elsewhere: '80 with Tekton 1.15' },
    {
      what: `${count} at once`,
      value: (count / all) * 1000,
      unit: 'runs/s',
      // Half as much again as Tekton's 45.
      target: { value: 67, better: 'more' },
      elsewhere: '40 to 45 with Tekton 1.15',
    },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Creates runs, ends the Pods that somebody makes of them, and waits for the runs to be over. */
export class RunsOnServer implements AsyncDisposable {
  private readonly client: Client;
  private readonly pods: Informer<Pod, Pod>;
  private readonly runs: Informer<TaskRun, TaskRun>;
  private readonly waiting = new Map<string, { resolve(): void; reject(error: Error): void }>();

  constructor(client: Client) {
    this.client = client;
    this.pods = new Informer<Pod, Pod>(client, kinds.Pod);
    this.pods.addHandler({ added: (pod) => void this.end(pod) });
    this.runs = new Informer<TaskRun, TaskRun>(client, TaskRunKind);
    this.runs.addHandler({ added: (run) => this.look(run), modified: (run) => this.look(run) });
  }

  async synced(): Promise<void> {
    await Promise.all([this.pods.start().synced(), this.runs.start().synced()]);
  }

  /** Resolves when the run has succeeded. */
  async run(name: string): Promise<void> {
    const over = new Promise<void>((resolve, reject) => this.waiting.set(name, { resolve, reject }));
    await this.client.create(TaskRunKind, { metadata: { namespace, name }, spec: oneStep });
    await over;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.pods.stop(), this.runs.stop()]);
  }

  private look({ metadata, status }: TaskRun): void {
    const { status: succeeded = 'Unknown', message } = status?.conditions?.[0] ?? {};
    const waiting = this.waiting.get(metadata.name ?? '');
    if (succeeded === 'True') waiting?.resolve();
    if (succeeded === 'False') waiting?.reject(new Error(`${metadata.name} failed: ${message}`));
  }

  private async end({ metadata, spec, status }: Pod): Promise<void> {
    if (status?.phase === 'Succeeded') return;
    const time = new Date(this.client.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const over = ({ name, image = '' }: { name: string; image?: string }): ContainerStatus => ({
      name,
      image,
      imageID: image,
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } },
    });
    const patch = mergePatch({
      status: {
        phase: 'Succeeded',
        startTime: time,
        containerStatuses: spec?.containers?.map(over),
        initContainerStatuses: spec?.initContainers?.map(over),
      },
    });
    const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        await this.client.patchStatus(kinds.Pod, key, patch);
        return;
      } catch {
        await wait(100);
      }
    }
  }
}
