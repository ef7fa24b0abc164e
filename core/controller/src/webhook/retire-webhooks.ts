import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@tektite/schema/kubernetes';
import type { Webhook } from './review-handler.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/**
 * Removes the entries of a Service from the webhook configurations, except those of the webhooks that are served. For a Service
 * that one process alone serves: a system it ran before and runs no more must not deny writes for ever. A configuration without
 * entries is deleted; entries of other Services stay. Returns the names of the removed entries.
 *
 * @example
 * await retireWebhooks(client, { namespace: 'default', name: 'tektite-webhook' }, systems.flatMap(({ webhooks = [] }) => webhooks));
 */
export async function retireWebhooks(
  client: Client,
  service: { readonly namespace: string; readonly name: string },
  served: readonly Webhook[],
): Promise<readonly string[]> {
  const names = new Set(served.flatMap((webhook) => (webhook.type === 'conversion' ? [] : [webhook.name])));
  const removed: string[] = [];
  for (const kind of [kinds.MutatingWebhookConfiguration, kinds.ValidatingWebhookConfiguration]) {
    const { items } = await client.list(kind);
    for (const configuration of items as readonly Configuration[]) {
      const entries = configuration.webhooks ?? [];
      const isRetired = ({ name, clientConfig }: (typeof entries)[number]) =>
        !names.has(name) &&
        clientConfig.service?.namespace === service.namespace &&
        clientConfig.service.name === service.name;
      const kept = entries.filter((entry) => !isRetired(entry));
      if (kept.length === entries.length) continue;
      removed.push(...entries.filter(isRetired).map(({ name }) => name));
      if (kept.length > 0) await client.update(kind, { ...configuration, webhooks: kept } as never);
      else await client.delete(kind, { name: configuration.metadata?.name ?? '' }).catch(ignoreNotFound);
    }
  }
  return removed;
}
