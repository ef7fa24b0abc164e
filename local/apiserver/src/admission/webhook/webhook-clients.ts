import type { ClientConfig } from './remote-webhook.ts';
import { type ClientParts, WebhookClient } from './webhook-client.ts';

/**
 * The connections to webhooks. Webhooks at the same place, with the same certificates, share theirs; connections to those
 * that no configuration names any more are closed.
 */
export class WebhookClients {
  private readonly parts: ClientParts;
  private readonly clients = new Map<string, { readonly client: WebhookClient; uses: number }>();
  private readonly closing = new Set<Promise<void>>();

  constructor(parts: ClientParts) {
    this.parts = parts;
  }

  /** A client to use until it is given back. Throws when the address makes no sense. */
  take(config: ClientConfig): WebhookClient {
    const key = keyOf(config);
    let entry = this.clients.get(key);
    if (!entry) this.clients.set(key, (entry = { client: new WebhookClient(config, this.parts), uses: 0 }));
    entry.uses++;
    return entry.client;
  }

  giveBack(config: ClientConfig): void {
    const key = keyOf(config);
    const entry = this.clients.get(key);
    if (!entry || --entry.uses > 0) return;
    this.clients.delete(key);
    const closed = entry.client.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }

  async close(): Promise<void> {
    const open = [...this.clients.values()];
    this.clients.clear();
    await Promise.all([...open.map(({ client }) => client.close()), ...this.closing]);
  }
}

function keyOf({ url, service, caBundle }: ClientConfig): string {
  return JSON.stringify([url, service?.namespace, service?.name, service?.path, service?.port, caBundle]);
}
