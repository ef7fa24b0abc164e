import { type Client, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import type { Secret } from '@tektite/schema/kubernetes';
import { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import {
  bootstrapKubeconfigText,
  newToken,
  readToken,
  tokenOwnerLabel,
  tokenSecret,
  withTokenGroups,
} from './bootstrap-token.ts';

/**
 * Makes a token and a kubeconfig for each BootstrapKubeconfig, good for hosts of its namespace. A token that expired unused is
 * replaced; a used one is not: it served its purpose, and must not stay good for ever. A token of a process that died before it
 * wrote the status is found by its label.
 */
export function bootstrapKubeconfigController(): ControllerDefinition {
  return defineController({
    name: 'bootstrapkubeconfig',
    kind: BootstrapKubeconfig,
    async reconcile(object, { client, clock, random, writeStatus }) {
      const { spec, status, metadata } = object;
      const { namespace = '', uid = '' } = metadata;
      // Without a time it is upstream's, which are made once and for all.
      if (!spec || (status?.bootstrapKubeconfigData && !status.expirationTime)) return undefined;
      const now = clock.now();
      const isExpired = (secret: Secret) => !(Date.parse(readToken(secret).expiration) > now);
      const labelSelector = `${tokenOwnerLabel}=${uid}`;
      const made = (await client.list(kinds.Secret, { namespace: 'kube-system', labelSelector })).items;
      const ends = Date.parse(status?.expirationTime ?? '');
      // Its token may have been deleted by an administrator: it is not replaced before its time.
      if (now < ends && made.every(isExpired)) return requeueAfter(ends - now);
      const old = made.filter(isExpired);
      const ids = old.map((secret) => readToken(secret).id);
      if (old.length > 0 && (await wasUsed(client, ids))) return undefined;
      for (const { metadata: token } of old)
        await client.delete(kinds.Secret, { namespace: 'kube-system', name: token.name ?? '' });
      const [usable] = made.filter((secret) => !isExpired(secret));
      const token = usable ? readToken(usable) : newToken(random, now);
      const bounded = usable && withTokenGroups(usable, namespace);
      if (!usable) await client.create(kinds.Secret, tokenSecret(token, metadata));
      else if (bounded) await client.update(kinds.Secret, bounded);
      await writeStatus(object, {
        bootstrapKubeconfigData: bootstrapKubeconfigText(spec, token, namespace),
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
