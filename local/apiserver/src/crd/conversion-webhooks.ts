import type { Random } from '@tektite/meta';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import type { ClientConfig } from '../admission/webhook/remote-webhook.ts';
import type { WebhookClient } from '../admission/webhook/webhook-client.ts';
import type { WebhookClients } from '../admission/webhook/webhook-clients.ts';
import type { Storage } from '../storage/storage.ts';
import { convertByWebhook } from './conversion-webhook.ts';
import type { WebhookConversion } from './converter.ts';

/** The conversion webhooks of all definitions. Connections of a definition end when it names another webhook, or goes. */
export class ConversionWebhooks implements Disposable {
  private readonly clients: WebhookClients;
  private readonly random: Random;
  private readonly inUse = new Map<string, ClientConfig>();
  private readonly subscription: Disposable;

  constructor(storage: Storage, clients: WebhookClients, random: Random) {
    this.clients = clients;
    this.random = random;
    const prefix = '/registry/customresourcedefinitions/';
    this.subscription = storage.watch(prefix, storage.revision, ({ value, deleted }) => {
      if (deleted) this.release(value.metadata.name ?? '');
    });
  }

  /** How objects of a definition are converted; what was handed out for it before must not be used any more. */
  of(crd: CustomResourceDefinition): WebhookConversion | undefined {
    const { name = '' } = crd.metadata;
    this.release(name);
    const { strategy, webhook } = crd.spec.conversion ?? {};
    const config = webhook?.clientConfig;
    if (strategy !== 'Webhook' || !config) return undefined;
    let client: WebhookClient | undefined;
    const connect = () => {
      if (!client) {
        client = this.clients.take(config);
        this.inUse.set(name, config);
      }
      return client;
    };
    return (objects, apiVersion) =>
      convertByWebhook(crd, objects, apiVersion, { client: connect, random: this.random });
  }

  [Symbol.dispose](): void {
    this.subscription[Symbol.dispose]();
    for (const name of this.inUse.keys()) this.release(name);
  }

  private release(name: string): void {
    const config = this.inUse.get(name);
    if (config) this.clients.giveBack(config);
    this.inUse.delete(name);
  }
}
