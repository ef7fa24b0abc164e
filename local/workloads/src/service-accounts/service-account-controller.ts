import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { metadataOnly } from '@tektite/controller/cache';
import { isStatusError } from '@tektite/meta';

const name = 'default';

/** Gives every namespace a ServiceAccount `default`, again and again if need be. */
export function serviceAccountController(): ControllerDefinition {
  const accounts = mapped(kinds.ServiceAccount, ({ metadata }) => [metadata.namespace ?? ''], {
    transform: metadataOnly,
  });
  return defineController({
    name: 'service-account',
    kind: kinds.Namespace,
    sources: [accounts],
    async reconcile({ metadata, status }, { client, cache, name: namespace }) {
      if (metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating') return;
      if (cache(accounts).get(`${namespace}/${name}`)) return;
      try {
        await client.create(kinds.ServiceAccount, { metadata: { namespace, name } });
      } catch (error) {
        if (!isStatusError(error, 'AlreadyExists') && !isStatusError(error, 'NotFound')) throw error;
      }
    },
  });
}
