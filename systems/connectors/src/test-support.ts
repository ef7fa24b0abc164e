import { type Client, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { type Condition, type DynamicObject, findCondition, sleep, systemClock } from '@tektite/meta';
import type { ControlPlane, VirtualClock } from '@tektite/testkit';
import { Connector } from './kinds/connector.ts';
import { InstallManifest } from './kinds/install-manifest.ts';
import { type ConnectorsOptions, connectorsSystem } from './system.ts';

const group = 'apps/v1';

export function deployment(
  name: string,
  options: { image?: string; replicas?: number; app?: string } = {},
): DynamicObject {
  const { image = 'ghcr.io/acme/web:1', replicas = 1, app = name } = options;
  return {
    apiVersion: group,
    kind: 'Deployment',
    metadata: { name, namespace: 'payload' },
    spec: {
      replicas,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

export function statefulSet(name: string, image = 'ghcr.io/acme/db:1'): DynamicObject {
  return {
    apiVersion: group,
    kind: 'StatefulSet',
    metadata: { name, namespace: 'payload' },
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

export function configMap(name: string, data: Record<string, string> = { a: '1' }): DynamicObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'payload' }, data };
}

export function clusterRole(name: string, verbs: readonly string[] = ['get']): DynamicObject {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs }];
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
}

export function definition(plural: string, kind: string): DynamicObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

export const service = (name: string): DynamicObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'payload' },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});

/** An application with a bit of everything. */
export const application: readonly DynamicObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'payload' } },
  definition('shops', 'Shop'),
  clusterRole('shop-reader'),
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web', namespace: 'payload' } },
  configMap('settings'),
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace: 'payload' }, stringData: { t: 'secret' } },
  service('web'),
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'files', namespace: 'payload' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  deployment('web'),
  statefulSet('db'),
];

export function connector(name: string, spec: object = {}, namespace = 'default'): Connector {
  return {
    apiVersion: 'operator.connectors.alauda.io/v1alpha1',
    kind: 'Connector',
    metadata: { name, namespace },
    spec: { manifestType: 'Metadata', additionalManifestsApplyGlobal: false, ...spec },
  } as unknown as Connector;
}

/** The operator on a cluster, with webhooks. */
export function startOperator(plane: ControlPlane, options: ConnectorsOptions): Promise<RunningSystems> {
  const service = { namespace: 'default', name: 'webhook' };
  const webhooks = { host: plane.server.localWebhooks, service };
  return startSystems([connectorsSystem(options)], { client: plane.client, webhooks, graceMs: 0 });
}

/** Lets time pass until something holds, or says what it was instead. */
export async function eventually<T>(
  clock: VirtualClock,
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  seconds = 600,
): Promise<T> {
  let last: T | undefined;
  for (let turn = 0; turn < seconds; turn++) {
    last = await clock.until(read());
    if (holds(last)) return last;
    await clock.advance(1_000);
    // Files are read in the time of the machine.
    await sleep(systemClock, 2);
  }
  throw new Error(`it never came: ${JSON.stringify(last, undefined, 1)}`);
}

export const readConnector = (client: Client, name: string, namespace = 'default') =>
  client.get(Connector, { namespace, name });

export const conditionOf = (object: { status?: { conditions?: readonly Condition[] } } | undefined, type = 'Ready') =>
  findCondition(object?.status?.conditions, type);

export async function untilReason(
  clock: VirtualClock,
  client: Client,
  name: string,
  reason: string,
  namespace = 'default',
) {
  return eventually(
    clock,
    () => readConnector(client, name, namespace),
    (found) =>
      conditionOf(found)?.reason === reason && conditionOf(found)?.observedGeneration === found.metadata.generation,
  );
}

export async function find(
  client: Client,
  object: Pick<DynamicObject, 'apiVersion' | 'kind' | 'metadata'>,
  namespace = 'default',
) {
  const { apiVersion, kind, metadata } = object;
  const key = { name: metadata.name ?? '', ...(metadata.namespace ? { namespace } : {}) };
  return client.getOrUndefined({ apiVersion, kind }, key);
}

export const readManifests = async (client: Client) => (await client.list(InstallManifest)).items;
export const patchSpec = (client: Client, name: string, spec: object, namespace = 'default') =>
  client.patch(Connector, { namespace, name }, mergePatch({ spec }));
