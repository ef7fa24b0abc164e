import { type Client, kinds } from '@tektite/client';
import { formatTime } from '@tektite/meta';
import type { Event, ObjectReference } from '@tektite/schema/kubernetes';

/** The content of an Event. */
export interface EventContent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Records Events. Never fails, and does not wait for the write. */
export interface EventSink {
  event(object: ObjectReference, content: EventContent): void;
}

/** How many different Events are counted instead of being written again. */
const remembered = 2048;

interface Known {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/** Writes events as kubelets do: one that repeats is counted. */
export class ApiEventSink implements EventSink {
  private readonly client: Client;
  private readonly source: { readonly component: string; readonly host: string };
  private readonly known = new Map<string, Known>();
  /** The pending writes, by object. */
  private readonly pending = new Map<string, Promise<void>>();
  private serial = 0;

  constructor(client: Client, host: string) {
    this.client = client;
    this.source = { component: 'kubelet', host };
  }

  event(object: ObjectReference, content: EventContent): void {
    // Those of one object one after the other, so that a repeated one finds the first.
    const key = object.uid ?? object.name ?? '';
    const before = this.pending.get(key) ?? Promise.resolve();
    const written = before
      .then(() => this.write(object, content))
      .catch(() => undefined)
      .finally(() => {
        if (this.pending.get(key) === written) this.pending.delete(key);
      });
    this.pending.set(key, written);
  }

  /** Resolves when all that was taken is written. */
  async flushed(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending.values());
  }

  private async write(object: ObjectReference, content: EventContent): Promise<void> {
    const key = JSON.stringify([object.uid, object.fieldPath, content.type, content.reason, content.message]);
    const now = formatTime(this.client.clock.now());
    const known = this.known.get(key);
    if (known) {
      known.count++;
      await this.client.patch(
        kinds.Event,
        { namespace: known.namespace, name: known.name },
        { contentType: 'application/strategic-merge-patch+json', body: { count: known.count, lastTimestamp: now } },
      );
      return;
    }
    const namespace = object.namespace ?? 'default';
    const name = this.nameFor(object);
    await this.client.create(kinds.Event, this.newEvent(object, content, { namespace, name }, now));
    this.known.set(key, { name, namespace, count: 1 });
    if (this.known.size > remembered) this.known.delete(this.known.keys().next().value as string);
  }

  private newEvent(
    object: ObjectReference,
    content: EventContent,
    key: { namespace: string; name: string },
    now: string,
  ): Event {
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: key,
      involvedObject: object,
      ...content,
      source: this.source,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      reportingComponent: 'kubelet',
      reportingInstance: this.source.host,
    };
  }

  /** `NAME.TIME` in nanoseconds, in hexadecimal: as clients of all languages name events. */
  private nameFor({ name }: ObjectReference): string {
    const nanoseconds = BigInt(this.client.clock.now()) * 1_000_000n + BigInt(this.serial++ % 1_000_000);
    return `${name}.${nanoseconds.toString(16)}`;
  }
}
