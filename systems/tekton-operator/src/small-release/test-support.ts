import type { DynamicObject } from '@tektite/meta';
import { objectPayload } from '../payload/object-payload.ts';
import type { PayloadSource } from '../payload/payload-source.ts';

export const smallNamespace = 'tekton-pipelines';

/** A small release that has one of everything that matters. */
function release(version: string): readonly DynamicObject[] {
  const labels = { app: 'tekton-pipelines-controller' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const rbac = 'rbac.authorization.k8s.io';
  const at = (name: string) => ({ name, namespace: smallNamespace });
  const deployment = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: at(name),
    spec: {
      selector: { matchLabels: { name } },
      template: {
        metadata: { labels: { ...labels, name } },
        spec: {
          serviceAccountName: 'tekton',
          containers: [{ name, image: `i:${version}`, securityContext: { runAsUser: 65_532 } }],
        },
      },
    },
  });
  return [
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.tekton.dev' },
      spec: {
        group: 'tekton.dev',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('tekton') },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'tekton' }, rules: [] },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: at('pipelines-info'), data: { version } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: at(`only-in-${version}`), data: {} },
    { apiVersion: 'v1', kind: 'Service', metadata: at('tekton'), spec: { ports: [{ port: 80 }], selector: labels } },
    deployment('tekton-pipelines-controller'),
    deployment('tekton-pipelines-webhook'),
  ] as unknown as readonly DynamicObject[];
}

/** Two versions of it. */
export const smallPayload = (): PayloadSource =>
  objectPayload(
    ['v1.0.0', 'v2.0.0'].map((version) => ({ folder: 'tekton-pipeline', version, objects: () => release(version) })),
  );
