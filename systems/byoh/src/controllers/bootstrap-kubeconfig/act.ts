import { type Client, kinds } from '@tektite/client';
import type { Secret } from '@tektite/schema/kubernetes';
import type { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { type BootstrapToken, readToken, tokenSecret, withTokenGroups } from './bootstrap-token.ts';

/** Deletes expired tokens. */
export async function deleteTokens(client: Client, expired: readonly Secret[]): Promise<void> {
  for (const { metadata } of expired)
    await client.delete(kinds.Secret, { namespace: 'kube-system', name: metadata.name ?? '' });
}

/** Makes a token known to the API server, and returns it: the usable one, bound to its namespace, or a new one. */
export async function publishToken(
  client: Client,
  { metadata }: BootstrapKubeconfig,
  usable: Secret | undefined,
  create: () => BootstrapToken,
): Promise<BootstrapToken> {
  if (!usable) {
    const token = create();
    await client.create(kinds.Secret, tokenSecret(token, metadata));
    return token;
  }
  const bounded = withTokenGroups(usable, metadata.namespace ?? '');
  if (bounded) await client.update(kinds.Secret, bounded);
  return readToken(usable);
}
