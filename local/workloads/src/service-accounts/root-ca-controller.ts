import { kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';

const name = 'kube-root-ca.crt';
const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal ' +
    'service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Keeps the certificate that the API server can be checked by in every namespace, where Pods find it. */
export function rootCaController(certificate: () => string): ControllerDefinition {
  const configMaps = mapped(kinds.ConfigMap, ({ metadata }) => [metadata.namespace ?? ''], {
    fieldSelector: `metadata.name=${name}`,
  });
  return defineController({
    name: 'root-ca-certificate',
    kind: kinds.Namespace,
    // Certificates are rotated while this runs.
    resyncMs: 60 * 60 * 1000,
    sources: [configMaps],
    async reconcile({ metadata, status }, { client, cache, name: namespace }) {
      if (metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating') return;
      const data = { 'ca.crt': certificate() };
      const existing = cache(configMaps).get(`${namespace}/${name}`);
      try {
        if (!existing) await client.create(kinds.ConfigMap, { metadata: { namespace, name, annotations }, data });
        else if (!equalJson(existing.data, data) || !hasAll(existing.metadata.annotations))
          await client.update(kinds.ConfigMap, {
            ...existing,
            metadata: { ...existing.metadata, annotations: { ...existing.metadata.annotations, ...annotations } },
            data,
          });
      } catch (error) {
        if (!isStatusError(error, 'AlreadyExists') && !isStatusError(error, 'NotFound')) throw error;
      }
    },
  });
}

function hasAll(existing: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(annotations).every(([key, value]) => existing[key] === value);
}
