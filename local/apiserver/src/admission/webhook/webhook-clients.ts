import type { ClientConfig } from './remote-webhook.ts';
import { type ClientParts, WebhookClient } from './webhook-client.ts';

/**
 * The connections to webhooks. Webhooks at the same place, with the same certificates, share theirs; connections to those
 * that no configuration names any more are closed when the last call is answered.
 */
export class WebhookClients {
  private readonly parts: ClientParts;
  private readonly clients = new Map<string, { readonly client: WebhookClient; uses: number }>();
  private readonly retired = new Set<WebhookClient>();

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
    const { client } = entry;
    this.retired.add(client);
    void client.retire().then(() => this.retired.delete(client));
  }

  async close(): Promise<void> {
    const open = [...[...this.clients.values()].map(({ client }) => client), ...this.retired];
    this.clients.clear();
    await Promise.all(open.map((client) => client.close()));
  }
}

function keyOf({ url, service, caBundle }: ClientConfig): string {
  return JSON.stringify([url, service?.namespace, service?.name, service?.path, service?.port, caBundle]);
}
