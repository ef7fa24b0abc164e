import type { Client, WatchEvent } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

export interface RecordedEvent {
  readonly revision: number;
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly mark: string | undefined;
}

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

function recordOf({ type, object }: Exclude<WatchEvent<DynamicObject>, { type: 'ERROR' }>): RecordedEvent {
  const { namespace = '', name = '', resourceVersion } = object.metadata;
  const { data } = object as { data?: { mark?: string } };
  return { revision: Number(resourceVersion), type, namespace, name, mark: data?.mark };
}

/** Follows ConfigMaps over the lives of a server, and goes on where it was. */
export class WatchRecorder {
  readonly events: RecordedEvent[] = [];
  readonly errors: string[] = [];
  private revision: number;

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Records until the server does not answer any more. */
  async follow(client: Client): Promise<void> {
    try {
      for await (const event of await client.watch(configMaps, { resourceVersion: String(this.revision) })) {
        if (event.type === 'ERROR') {
          this.errors.push(`after ${this.revision}: ${event.object.message}`);
          return;
        }
        const record = recordOf(event);
        if (record.revision <= this.revision) this.errors.push(`${record.revision} came after ${this.revision}`);
        this.revision = record.revision;
        this.events.push(record);
      }
    } catch {
      // The server was killed: the next life goes on from the last revision.
    }
  }

  /** Watches once more from an earlier event on. What was seen before must be seen again, deletions with their revisions too. */
  async replay(client: Client, from: number): Promise<void> {
    const start = this.events[from];
    const rest = this.events.slice(from + 1);
    if (!start || rest.length === 0) return;
    const stop = new AbortController();
    const options = { resourceVersion: String(start.revision), idleTimeoutMs: 15_000, signal: stop.signal };
    try {
      let index = 0;
      for await (const event of await client.watch(configMaps, options)) {
        const expected = JSON.stringify(rest[index]);
        const actual = event.type === 'ERROR' ? event.object.message : JSON.stringify(recordOf(event));
        if (actual !== expected) this.errors.push(`${expected} is now ${actual}`);
        index += 1;
        if (index === rest.length || event.type === 'ERROR') return;
      }
      this.errors.push(`a watch from ${start.revision} ended after ${index} of ${rest.length} events`);
    } finally {
      stop.abort();
    }
  }

  marksOf(namespace: string, name: string): readonly (string | undefined)[] {
    return this.events
      .filter((event) => event.namespace === namespace && event.name === name)
      .map(({ type, mark }) => (type === 'DELETED' ? undefined : mark));
  }
}
