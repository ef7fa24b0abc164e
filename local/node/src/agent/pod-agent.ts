import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import type { Pod } from '@tektite/schema/kubernetes';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import { removeTree } from '../volumes/remove-tree.ts';
import type { AgentParts } from './agent-parts.ts';
import { PodWorker } from './pod-worker.ts';

/** Follows the Pods of this node, and has a worker for each. */
export class PodAgent implements AsyncDisposable {
  private readonly parts: AgentParts;
  private readonly informer: Informer<Pod>;
  private readonly workers = new Map<string, PodWorker>();
  private readonly removals = new Set<Promise<void>>();

  constructor(parts: AgentParts) {
    this.parts = parts;
    this.informer = new Informer(parts.client, kinds.Pod, {
      fieldSelector: `spec.nodeName=${parts.nodeName}`,
      onError: parts.onError,
    });
  }

  /** Resolves when all Pods of this node are known. */
  async start(signal?: AbortSignal): Promise<void> {
    this.informer.addHandler({
      added: (pod) => this.changed(pod),
      modified: (pod) => this.changed(pod),
      deleted: (pod) => this.deleted(pod),
    });
    await this.informer.start().synced(signal);
    await this.removeOrphans();
  }

  /** The worker of a Pod, if it is this node's. */
  worker({ metadata }: Pod): PodWorker | undefined {
    return this.workers.get(metadata.uid ?? '');
  }

  /** The Pods, with the containers of each that run now. */
  running(): readonly { readonly pod: Pod; readonly containers: ReadonlyMap<string, RunningContainer> }[] {
    return [...this.workers.values()].map((worker) => worker.running());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informer.stop();
    await Promise.all([...this.workers.values()].map((worker) => worker.close()));
    await Promise.all(this.removals);
  }

  private changed(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.workers.get(uid);
    if (worker) {
      worker.update(pod);
      return;
    }
    const fresh = new PodWorker(pod, this.parts);
    this.workers.set(uid, fresh);
    fresh.wake();
  }

  private deleted(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.workers.get(uid);
    if (!worker) return;
    this.workers.delete(uid);
    const removal = worker
      .remove()
      .catch(this.parts.onError)
      .finally(() => this.removals.delete(removal));
    this.removals.add(removal);
  }

  /** Removes the folders of Pods that were deleted while the node was down. */
  private async removeOrphans(): Promise<void> {
    const folders = await readdir(this.parts.podsDirectory).catch(() => []);
    const known = new Set(this.informer.store.list().map(({ metadata }) => metadata.uid));
    for (const uid of folders) {
      if (!known.has(uid)) await removeTree(join(this.parts.podsDirectory, uid));
    }
    await this.parts.logs.keepOnly(known as ReadonlySet<string>);
    await this.parts.volumes.keepOnly(known as ReadonlySet<string>);
  }
}
