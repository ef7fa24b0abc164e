import { type Client, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { BootstrapKubeconfig } from '../kinds/bootstrap-kubeconfig.ts';
import { bootstrapKubeconfigText, newToken, readToken, tokenOwnerLabel, tokenSecret } from './bootstrap-token.ts';

/**
 * Makes a token and a kubeconfig for each BootstrapKubeconfig. A token that ended without a host having used it is replaced;
 * one that was used is not: what was handed out and served its purpose must not stay good for ever. A token that was made by a
 * process that died before it could say so is found by its label.
 */
export function bootstrapKubeconfigController(): ControllerDefinition {
  return defineController({
    name: 'bootstrapkubeconfig',
    kind: BootstrapKubeconfig,
    async reconcile(object, { client, clock, random, writeStatus }) {
      const { spec, status, metadata } = object;
      const now = clock.now();
      const ends = status?.expirationTime ? Date.parse(status.expirationTime) : Number.NaN;
      // Without a time it is upstream's, which are made once and for all.
      if (status?.bootstrapKubeconfigData && (Number.isNaN(ends) || now < ends))
        return Number.isNaN(ends) ? undefined : requeueAfter(ends - now);
      if (!spec) return undefined;
      const uid = metadata.uid ?? '';
      const labelSelector = `${tokenOwnerLabel}=${uid}`;
      const made = (await client.list(kinds.Secret, { namespace: 'kube-system', labelSelector })).items;
      const old = made.filter((secret) => !(Date.parse(readToken(secret).expiration) > now));
      if (
        old.length > 0 &&
        (await wasUsed(
          client,
          old.map((secret) => readToken(secret).id),
        ))
      )
        return undefined;
      for (const { metadata: token } of old)
        await client.delete(kinds.Secret, { namespace: 'kube-system', name: token.name ?? '' });
      const [usable] = made.filter((secret) => !old.includes(secret)).map(readToken);
      const token = usable ?? newToken(random, now);
      if (!usable) await client.create(kinds.Secret, tokenSecret(token, uid));
      await writeStatus(object, {
        bootstrapKubeconfigData: bootstrapKubeconfigText(spec, token),
        expirationTime: token.expiration,
      });
      return requeueAfter(Date.parse(token.expiration) - now);
    },
  });
}

/** Whether a host has asked for its certificate with one of these tokens. Clusters keep requests for at least an hour. */
async function wasUsed(client: Client, ids: readonly string[]): Promise<boolean> {
  const { items } = await client.list(kinds.CertificateSigningRequest);
  const users = new Set(ids.map((id) => `system:bootstrap:${id}`));
  return items.some(({ spec }) => users.has(spec.username ?? ''));
}
