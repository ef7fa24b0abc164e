import { type Client, kinds } from '@tektite/client';
import { equalJson } from '@tektite/meta';

/**
 * A component whose webhook checks ConfigMaps cannot be installed while the webhook is down: its own ConfigMaps would
 * be denied. While it has no endpoint, its rules are removed. The component's sets restore them.
 */
export async function breakDeadlock(
  client: Client,
  namespace: string,
  { service, configuration }: { readonly service: string; readonly configuration: string },
): Promise<void> {
  const live = await client.getOrUndefined(kinds.ValidatingWebhookConfiguration, { name: configuration });
  if (!live?.webhooks?.length) return;
  const endpoints = await client.getOrUndefined(kinds.Endpoints, { namespace, name: service });
  if ((endpoints?.subsets?.length ?? 0) > 0) return;
  // Without its hash, so that its owner writes it again once the webhook is up.
  const { 'operator.tekton.dev/last-applied-hash': _hash, ...annotations } = live.metadata.annotations ?? {};
  const next = { ...live, metadata: { ...live.metadata, annotations }, webhooks: [] };
  if (!equalJson(live, next)) await client.update(kinds.ValidatingWebhookConfiguration, next);
}
