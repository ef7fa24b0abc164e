import { type Client, kinds, resilientWatch } from '@tektite/client';
import type { Lease } from '@tektite/schema/kubernetes';

type Listener = (lease: Lease | undefined) => void;

/**
 * One watch of the Leases of a namespace, for all elections of a process that compete there. Candidates learn of a renewal when it
 * happens, so that they know to the millisecond when a lease runs out; read periodically, they learn of it up to two periods later.
 *
 * It is an accelerator and no more: where Leases may not be watched, or the connection is silent, candidates read them.
 */
export class LeaseWatch {
  private readonly client: Client;
  private readonly namespace: string;
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Calls the listener with the Lease of that name after each change; with undefined when it was deleted. */
  subscribe(name: string, listener: Listener): Disposable {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all.add(listener));
    return {
      [Symbol.dispose]: () => {
        all.delete(listener);
        if (all.size === 0 && this.listeners.get(name) === all) this.listeners.delete(name);
      },
    };
  }

  /** Watches until the signal is aborted. */
  async run(signal: AbortSignal, onError?: (error: unknown) => void): Promise<void> {
    const { client, namespace } = this;
    try {
      for await (const event of resilientWatch(client, kinds.Lease, { namespace, signal })) {
        if (event.type === 'error') onError?.(event.error);
        if (event.type === 'added' || event.type === 'modified') this.report(event.object.metadata.name, event.object);
        if (event.type === 'deleted') this.report(event.object.metadata.name, undefined);
        if (event.type === 'vanished') this.report(event.object.name, undefined);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private report(name: string | undefined, lease: Lease | undefined): void {
    for (const listener of this.listeners.get(name ?? '') ?? []) listener(lease);
  }
}
