import { ignoreNotFound, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, done, requeueAfter } from '@tektite/controller';
import { readBootstrapToken, tokenNamespace, tokenType } from './bootstrap-token.ts';

/** Deletes bootstrap tokens that have expired. */
export function tokenCleanerController(): ControllerDefinition {
  return defineController({
    name: 'token-cleaner',
    kind: kinds.Secret,
    namespace: tokenNamespace,
    fieldSelector: `type=${tokenType}`,
    async reconcile(secret, { client, clock, namespace = '', name }) {
      const expiration = readBootstrapToken(secret)?.expiration;
      if (expiration === undefined) return done;
      const left = expiration - clock.now();
      if (left > 0) return requeueAfter(left);
      const { uid, resourceVersion } = secret.metadata;
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      await client.delete(kinds.Secret, { namespace, name }, { preconditions }).catch(ignoreNotFound);
      return done;
    },
  });
}
