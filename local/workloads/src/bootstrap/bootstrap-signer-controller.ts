import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { equalJson } from '@tektite/meta';
import type { Secret } from '@tektite/schema/kubernetes';
import { readBootstrapToken, tokenNamespace, tokenType } from './bootstrap-token.ts';
import { signedClusterInfo } from './cluster-info-signatures.ts';

const namespace = 'kube-public';
const name = 'cluster-info';

/** Signs the ConfigMap `cluster-info` with every bootstrap token, so that a machine with a token can trust what it says. */
export function bootstrapSignerController(): ControllerDefinition {
  const tokens = mapped(kinds.Secret, () => [`${namespace}/${name}`], {
    namespace: tokenNamespace,
    fieldSelector: `type=${tokenType}`,
  });
  return defineController({
    name: 'bootstrap-signer',
    kind: kinds.ConfigMap,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    sources: [tokens],
    async reconcile(info, { client, cache, clock }) {
      const signing = cache(tokens)
        .list()
        .map((secret) => readBootstrapToken(secret as Secret))
        .filter((token) => token !== undefined);
      const data = signedClusterInfo(info.data ?? {}, signing, clock.now());
      if (!equalJson(data, info.data ?? {})) await client.update(kinds.ConfigMap, { ...info, data });
    },
  });
}
