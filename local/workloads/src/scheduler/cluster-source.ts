import { kinds } from '@tektite/client';
import type { RunningSource, Source, SourceTarget } from '@tektite/controller';
import { cacheKey, withoutManagedFields } from '@tektite/controller/cache';
import { equalJson } from '@tektite/meta';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import type { ClusterState } from './cluster-state.ts';

/** How long changes are collected before the Pods that wait are tried again. */
const gatherMs = 50;
/** Nothing may be forgotten for ever, whatever was overlooked. */
const flushMs = 300_000;

/** Keeps a {@link ClusterState} in sync with the API, and enqueues unschedulable Pods when a node may have room. */
export class ClusterSource implements Source {
  readonly describe = 'nodes and placed Pods';
  readonly waiting = new Set<string>();
  private readonly state: ClusterState;
  private wake: () => void = () => undefined;

  constructor(state: ClusterState) {
    this.state = state;
  }

  /** Something else changed that may help, such as a volume. */
  somethingChanged(): void {
    this.wake();
  }

  start(target: SourceTarget): RunningSource {
    const pods = target.informers.acquire(kinds.Pod, { transform: withoutManagedFields<Pod> });
    const nodes = target.informers.acquire(kinds.Node, { transform: withoutManagedFields<Node> });
    let gathering: Disposable | undefined;
    const flush = () => {
      gathering = undefined;
      for (const key of this.waiting) target.add(key, { cause: { kind: 'Node', object: key, change: 'room' } });
      this.waiting.clear();
    };
    this.wake = () => {
      if (this.waiting.size > 0) gathering ??= target.clock.setTimer(gatherMs, flush);
    };
    let regular: Disposable | undefined;
    const arm = () => {
      regular = target.clock.setTimer(flushMs, () => {
        flush();
        arm();
      });
    };
    arm();
    const handlers = [this.followPods(pods.informer), this.followNodes(nodes.informer)];
    return {
      synced: async (signal) => {
        await pods.informer.synced(signal);
        await nodes.informer.synced(signal);
      },
      stop: async () => {
        gathering?.[Symbol.dispose]();
        regular?.[Symbol.dispose]();
        this.wake = () => undefined;
        for (const handler of handlers) handler[Symbol.dispose]();
        await Promise.all([pods.release(), nodes.release()]);
      },
    };
  }

  private followPods(informer: { addHandler(handler: Handler<Pod>): Disposable }): Disposable {
    return informer.addHandler({
      added: (pod) => this.state.setPod(pod),
      modified: (pod, before) => {
        this.state.setPod(pod);
        if (pod.status?.phase !== before.status?.phase || !equalJson(pod.metadata.labels, before.metadata.labels))
          this.wake();
        else if (pod.spec?.nodeName && !before.spec?.nodeName) this.wake();
      },
      deleted: (pod) => {
        const key = cacheKey(pod.metadata);
        this.waiting.delete(key);
        this.state.removePod(key);
        this.wake();
      },
    });
  }

  private followNodes(informer: { addHandler(handler: Handler<Node>): Disposable }): Disposable {
    return informer.addHandler({
      added: (node) => {
        this.state.setNode(node);
        this.wake();
      },
      modified: (node, before) => {
        this.state.setNode(node);
        if (mayHelp(node, before)) this.wake();
      },
      deleted: ({ metadata }) => {
        this.state.removeNode(metadata.name ?? '');
        // The message of unschedulable Pods contains the number of nodes.
        this.wake();
      },
    });
  }
}

interface Handler<T> {
  added(object: T): void;
  modified(object: T, before: T): void;
  deleted(object: T): void;
}

/** Heartbeats change a node every few seconds, and nothing that matters here. */
function mayHelp(node: Node, before: Node): boolean {
  return (
    !equalJson(node.spec, before.spec) ||
    !equalJson(node.metadata.labels, before.metadata.labels) ||
    !equalJson(node.status?.allocatable, before.status?.allocatable)
  );
}
