import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { EventRecorder, type EventText } from '@tektite/controller/events';
import type { KubeObject } from '@tektite/meta';

/** Records an Event about an object. */
export type RecordEvent = (about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>, text: EventText) => void;

/**
 * Records Events under the names of the components of a cluster. `kubectl describe` shows the source, and tools search
 * for `deployment-controller` or `default-scheduler`.
 */
export class ComponentEvents implements AsyncDisposable {
  private readonly client: Client;
  private readonly log: Logger | undefined;
  private readonly recorders = new Map<string, EventRecorder>();

  constructor(client: Client, log?: Logger) {
    this.client = client;
    this.log = log;
  }

  /** @example const record = events.of('replicaset-controller'); */
  of(component: string, api: 'v1' | 'events.k8s.io/v1' = 'v1'): RecordEvent {
    let recorder = this.recorders.get(component);
    if (!recorder) {
      const log = this.log ? { log: this.log } : {};
      recorder = new EventRecorder(this.client, { component, api, ...log });
      this.recorders.set(component, recorder);
    }
    const known = recorder;
    return (about, text) => known.event(about, text);
  }

  /** Resolves when all recorded Events are written. */
  async flushed(): Promise<void> {
    await Promise.all([...this.recorders.values()].map((recorder) => recorder.flushed()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.recorders.values()].map((recorder) => recorder[Symbol.asyncDispose]()));
  }
}
