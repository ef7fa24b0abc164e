import { setTimeout as wait } from 'node:timers/promises';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { ContainerStatus, Pod } from '@tektite/schema/kubernetes';

const namespace = 'default';

/** A TaskRun or a PipelineRun. */
export interface AnyRun extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly conditions?: readonly { readonly status?: string; readonly message?: string }[] };
}

/** Creates runs, completes their Pods, and waits for the runs to complete. */
export class RunsOnServer implements AsyncDisposable {
  private readonly client: Client;
  private readonly kind: Kind<AnyRun>;
  private readonly pods: Informer<Pod, Pod>;
  private readonly runs: Informer<AnyRun, AnyRun>;
  private readonly waiting = new Map<string, { resolve(): void; reject(error: Error): void }>();

  constructor(client: Client, kind: Kind<AnyRun>) {
    this.client = client;
    this.kind = kind;
    this.pods = new Informer<Pod, Pod>(client, kinds.Pod);
    this.pods.addHandler({ added: (pod) => void this.end(pod) });
    this.runs = new Informer<AnyRun, AnyRun>(client, kind);
    this.runs.addHandler({ added: (run) => this.observe(run), modified: (run) => this.observe(run) });
  }

  async synced(): Promise<void> {
    await Promise.all([this.pods.start().synced(), this.runs.start().synced()]);
  }

  /** Resolves when the run has succeeded, with the milliseconds that it took. */
  async run(name: string, spec: object): Promise<number> {
    const started = performance.now();
    const over = new Promise<void>((resolve, reject) => this.waiting.set(name, { resolve, reject }));
    await this.client.create(this.kind, { metadata: { namespace, name }, spec });
    await over;
    return performance.now() - started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.pods.stop(), this.runs.stop()]);
  }

  private observe({ metadata, status }: AnyRun): void {
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
