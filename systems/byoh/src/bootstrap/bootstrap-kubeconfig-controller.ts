import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { BootstrapKubeconfig } from '../kinds/bootstrap-kubeconfig.ts';
import { bootstrapKubeconfigText, newToken, readToken, tokenOwnerLabel, tokenSecret } from './bootstrap-token.ts';

/**
 * Makes a token and a kubeconfig for each BootstrapKubeconfig. A token that ended is replaced, so that what is shown there
 * can always be used. One that was made by a process that died before it could say so is found by its label and used.
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
      const made = await client.list(kinds.Secret, {
        namespace: 'kube-system',
        labelSelector: `${tokenOwnerLabel}=${uid}`,
      });
      const usable = made.items.map(readToken).find(({ expiration }) => Date.parse(expiration) - now > 5 * 60_000);
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
