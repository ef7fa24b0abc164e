import { type ControllerDefinition, defineController, requeueAfter } from '@tektite/controller';
import { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { deleteTokens, publishToken } from './act.ts';
import { bootstrapKubeconfigText, newToken } from './bootstrap-token.ts';
import { decideToken, isManaged } from './decide.ts';
import { observeKubeconfig } from './observe.ts';

/** Makes a token and a kubeconfig for each BootstrapKubeconfig, good for hosts of its namespace. */
export function bootstrapKubeconfigController(): ControllerDefinition {
  return defineController({
    name: 'bootstrapkubeconfig',
    kind: BootstrapKubeconfig,
    async reconcile(object, { client, clock, random, writeStatus }) {
      const { spec, metadata } = object;
      if (!spec || !isManaged(object)) return undefined;
      const now = clock.now();
      const plan = decideToken(await observeKubeconfig(client, object, now));
      if (plan.type === 'nothing') return undefined;
      if (plan.type === 'wait') return requeueAfter(plan.requeueMs);
      await deleteTokens(client, plan.expired);
      const token = await publishToken(client, object, plan.usable, () => newToken(random, now));
      await writeStatus(object, {
        bootstrapKubeconfigData: bootstrapKubeconfigText(spec, token, metadata.namespace ?? ''),
        expirationTime: token.expiration,
      });
      return requeueAfter(Date.parse(token.expiration) - now);
    },
  });
}
