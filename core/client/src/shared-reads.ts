import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Client } from './client.ts';
import type { ObjectKey } from './kind-reference.ts';

interface Reading {
  readonly answer: Promise<KubeObject>;
  /** The one after it, for those who came too late. */
  next: Promise<KubeObject> | undefined;
}

/**
 * Merges concurrent reads of one object into one request. The request starts after the last caller that shares it has
 * asked, so that no caller gets an older state than a separate request would have returned: a caller that comes while
 * one is under way waits for the next.
 *
 * @example const reads = new SharedReads(); const account = await reads.get(client, kinds.ServiceAccount, { namespace:
 * 'default', name: 'default' });
 */
export class SharedReads {
  private readonly readings = new Map<string, Reading>();

  get<T extends KubeObject>(client: Client, kind: Kind<T>, key: ObjectKey): Promise<T> {
    const id = `${formatApiVersion(kind)} ${kind.kind} ${key.namespace ?? ''}/${key.name}`;
    const current = this.readings.get(id);
    if (!current) return this.read(id, client, kind, key) as Promise<T>;
    const again = () => this.read(id, client, kind, key);
    current.next ??= current.answer.then(again, again);
    return current.next as Promise<T>;
  }

  private read(id: string, client: Client, kind: Kind, key: ObjectKey): Promise<KubeObject> {
    const answer = client.get<KubeObject>(kind, key);
    const reading: Reading = { answer, next: undefined };
    this.readings.set(id, reading);
    const end = () => {
      if (this.readings.get(id) === reading && !reading.next) this.readings.delete(id);
    };
    answer.then(end, end);
    return answer;
  }
}
