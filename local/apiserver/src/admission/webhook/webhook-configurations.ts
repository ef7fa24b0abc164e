import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type CompiledWebhook, compileWebhook } from './compiled-webhook.ts';
import type { WebhookClients } from './webhook-clients.ts';

type AnyConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/**
 * The webhooks of all configurations of one kind, read once and followed from then on, so that a request pays nothing for
 * webhooks that are not there. Configurations come in the order of their names.
 */
export class WebhookConfigurations implements Disposable {
  private readonly clients: WebhookClients;
  private readonly byConfiguration = new Map<string, readonly CompiledWebhook[]>();
  private readonly subscription: Disposable;
  private ordered: readonly CompiledWebhook[] | undefined;

  constructor(
    plural: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations',
    storage: Storage,
    clients: WebhookClients,
  ) {
    this.clients = clients;
    const prefix = `/registry/${plural}/`;
    for (const { value } of storage.list(prefix).entries) this.put(value as AnyConfiguration);
    this.subscription = storage.watch(prefix, storage.revision, ({ value, deleted }) => {
      if (deleted) this.drop(value.metadata.name ?? '');
      else this.put(value as AnyConfiguration);
    });
  }

  webhooks(): readonly CompiledWebhook[] {
    return (this.ordered ??= [...this.byConfiguration]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, webhooks]) => webhooks));
  }

  [Symbol.dispose](): void {
    this.subscription[Symbol.dispose]();
    for (const name of this.byConfiguration.keys()) this.drop(name);
  }

  private put(configuration: AnyConfiguration): void {
    const { name = '' } = configuration.metadata;
    this.drop(name);
    const compiled = (configuration.webhooks ?? []).map((webhook, index) =>
      compileWebhook(`${name}/${index}`, webhook, this.clients),
    );
    this.byConfiguration.set(name, compiled);
  }

  private drop(name: string): void {
    this.ordered = undefined;
    for (const webhook of this.byConfiguration.get(name) ?? []) webhook.dispose();
    this.byConfiguration.delete(name);
  }
}
