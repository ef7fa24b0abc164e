import { type Client, keyOf, kinds, mergePatch } from '@tektite/client';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import { type InstallerDialect, type InstallReport, installSet, type InventoryEntry } from './index.ts';
import type { AnyCondition } from './condition-style.ts';

/** The kind of sets in tests: what it is does not matter to the engine. */
export const setDefinition: DynamicObject = definition('sets', 'Set', 'Cluster');

export function configMap(name: string, data: Readonly<Record<string, string>> = { a: '1' }): DynamicObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

export function deployment(
  name: string,
  more: { image?: string; replicas?: number; app?: string } = {},
): DynamicObject {
  const { image = 'web:1', replicas = 1, app = name } = more;
  const labels = { app };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image,
              env: [{ name: 'LEVEL', value: 'info' }],
              resources: { requests: { cpu: '0.5', memory: '1024Mi' } },
              ports: [{ containerPort: 8080 }],
            },
          ],
        },
      },
    },
  };
}

export function statefulSet(name: string): DynamicObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: 'default' },
    spec: {
      serviceName: name,
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'db', image: 'db:1' }] } },
    },
  };
}

export function job(name: string, image = 'db:1'): DynamicObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } } },
  };
}

export function clusterRole(name: string, verbs: readonly string[] = ['get']): DynamicObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
  };
}

export function definition(
  plural: string,
  kind: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): DynamicObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

/** A set of tests: an object of the server, and what its runs remember. */
export class TestSet {
  readonly client: Client;
  readonly dialect: InstallerDialect;
  readonly self: KubeObject;
  objects: readonly DynamicObject[];
  inventory: readonly InventoryEntry[] = [];
  conditions: readonly AnyCondition[] = [];

  private constructor(client: Client, dialect: InstallerDialect, self: KubeObject, objects: readonly DynamicObject[]) {
    this.client = client;
    this.dialect = dialect;
    this.self = self;
    this.objects = objects;
  }

  static async create(
    client: Client,
    dialect: InstallerDialect,
    name: string,
    objects: readonly DynamicObject[],
  ): Promise<TestSet> {
    await client.apply(setDefinition, { fieldManager: 'test', force: true });
    const self = await whenServed(client, () =>
      client.create({ apiVersion: 'example.com/v1', kind: 'Set', metadata: { name } }),
    );
    return new TestSet(client, dialect, self, objects);
  }

  /** One turn of a controller: what a set remembers is in its status. */
  async run(client: Client = this.client): Promise<InstallReport> {
    const { self, objects, dialect } = this;
    const { status } = await client.get(self, keyOf(self));
    this.inventory = (status as { inventory?: readonly InventoryEntry[] } | undefined)?.inventory ?? [];
    const { inventory } = this;
    const saveInventory = async (entries: readonly InventoryEntry[]) => {
      await client.patchStatus(self, keyOf(self), mergePatch({ status: { inventory: entries } }));
      this.inventory = entries;
    };
    const report = await installSet(client, { self, objects, inventory }, dialect, { saveInventory });
    const now = new Date(client.clock.now()).toISOString();
    this.conditions = dialect.conditions.update(this.conditions, report.phases, { now });
    return report;
  }

  /** `Ready: False Error …`. */
  condition(type: string): string {
    const found = this.conditions.find((condition) => condition.type === type);
    return found ? [found.status, found.reason, found.message].filter(Boolean).join(' ') : 'absent';
  }
}

async function whenServed<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 50) throw error;
      client.discovery.forget();
      await new Promise((resolve) => client.clock.setTimer(100, () => resolve(undefined)));
    }
  }
}

/** Writes the status that the Deployment controller sets for ready Pods. */
export async function makeReady(
  client: Client,
  name: string,
  kind: 'Deployment' | 'StatefulSet' = 'Deployment',
  namespace = 'default',
): Promise<void> {
  const key = { namespace, name };
  const live = await client.get({ apiVersion: 'apps/v1', kind }, key);
  const replicas = (live.spec as { replicas?: number }).replicas ?? 1;
  const status = {
    observedGeneration: live.metadata.generation,
    replicas,
    readyReplicas: replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
    ...(kind === 'Deployment' ? { conditions: [{ type: 'Available', status: 'True' }] } : {}),
  };
  await client.patchStatus({ apiVersion: 'apps/v1', kind }, key, mergePatch({ status }));
}

export function dataOf(client: Client, name: string): Promise<unknown> {
  return client.get(kinds.ConfigMap, { namespace: 'default', name }).then(({ data }) => data);
}
