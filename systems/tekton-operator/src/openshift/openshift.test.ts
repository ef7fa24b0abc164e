import { kinds, mergePatch } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { defaulting, defaultingWebhook } from '@tektite/controller/webhook';
import type { DynamicObject } from '@tektite/meta';
import { defineKind, s } from '@tektite/schema';
import type { Pod } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TektonAddon, TektonInstallerSet, TektonPipeline } from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { objectPayload } from '../payload/object-payload.ts';
import {
  conditionOf,
  eventually,
  find,
  hasReleases,
  type OperatorCluster,
  operatorCluster,
  realReleases,
  settings,
  tektonConfig,
  untilReady,
} from '../test-support.ts';

const namespace = 'openshift-pipelines';
const timeout = 240_000;

/** OpenShift's kind, as open as can be. */
const constraints = defineKind({
  group: 'security.openshift.io',
  version: 'v1',
  kind: 'SecurityContextConstraints',
  plural: 'securitycontextconstraints',
  scope: 'Cluster',
  fields: {
    allowHostNetwork: s.boolean().optional(),
    runAsUser: s.unknown().optional(),
    groups: s.unknown().optional(),
  },
});

/** Kinds of OpenShift as they are served there, without their schemas. */
const openKind = (group: string, kind: string, plural: string, scope: 'Cluster' | 'Namespaced') =>
  defineKind({ group, version: 'v1', kind, plural, scope, fields: { spec: s.unknown().optional() } });
const apiServers = openKind('config.openshift.io', 'APIServer', 'apiservers', 'Cluster');
const consolePlugins = openKind('console.openshift.io', 'ConsolePlugin', 'consoleplugins', 'Cluster');
const routes = openKind('route.openshift.io', 'Route', 'routes', 'Namespaced');

const workload = (name: string, container: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'tekton-pipelines' },
  spec: {
    selector: { matchLabels: { name } },
    template: { metadata: { labels: { name } }, spec: { containers: [{ name: container, image: 'i' }] } },
  },
});
const infoMap = (name: string, version: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'tekton-pipelines' },
  data: { version },
});
const resultsRelease = [
  infoMap('tekton-results-info', 'v0.20.0'),
  workload('tekton-results-api', 'api'),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'tekton-results-api-service', namespace: 'tekton-pipelines' },
    spec: { ports: [{ port: 8080 }] },
  },
] as readonly DynamicObject[];
const route = [
  {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: { name: 'tekton-results-api', namespace: 'tekton-pipelines' },
    spec: { to: { kind: 'Service', name: 'tekton-results-api-service' }, tls: { termination: 'passthrough' } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tekton-results-route-view-auth' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  },
] as readonly DynamicObject[];
const consolePlugin = [
  workload('pipelines-console-plugin', 'pipelines-console-plugin'),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'pipelines-console-plugin', namespace: 'openshift-pipelines' },
    data: { 'nginx.conf': 'http {\n  server {\n  }\n}\n' },
  },
  {
    apiVersion: 'console.openshift.io/v1',
    kind: 'ConsolePlugin',
    metadata: { name: 'pipelines-console-plugin' },
    spec: { backend: { type: 'Service', service: { name: 'pipelines-console-plugin', namespace: 'x', port: 8443 } } },
  },
] as unknown as readonly DynamicObject[];
const tasks = [
  {
    apiVersion: 'tekton.dev/v1',
    kind: 'Task',
    metadata: { name: 'git-clone', namespace: 'openshift-pipelines' },
    spec: { steps: [{ name: 'a', image: 'i' }] },
  },
] as unknown as readonly DynamicObject[];
const templates = [
  {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { name: 'pipelinerun-go' },
    spec: { pipelineRef: { name: 'b', bundle: 'a' } },
  },
] as unknown as readonly DynamicObject[];

const bindings = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'github-push', namespace: 'openshift' },
    data: {},
  },
] as readonly DynamicObject[];

/** As OpenShift does, by its constraints: every Pod gets a user of its namespace's. */
async function assignUsers({ plane, clock }: OperatorCluster): Promise<void> {
  const rule = defaulting(
    kinds.Pod,
    (pod) =>
      ({
        ...pod,
        spec: { ...pod.spec, securityContext: { ...pod.spec?.securityContext, runAsUser: 1_000_000 } },
      }) as Pod,
    { operations: ['CREATE'] },
  );
  const webhooks = [defaultingWebhook({ name: 'users.openshift.test', rules: [rule] })];
  const service = { namespace: 'default', name: 'openshift' };
  const host = plane.server.localWebhooks;
  await clock.until(
    startSystems([{ name: 'openshift', kinds: [], controllers: [], webhooks }], {
      client: plane.client,
      graceMs: 0,
      webhooks: { host, service },
    }),
  );
}

describe.runIf(hasReleases)('on OpenShift', { timeout }, () => {
  let cluster: OperatorCluster;
  beforeAll(async () => {
    const extras = {
      'tekton-addon/addons/01-clustertriggerbindings': () => bindings,
      'tekton-addon/addons/06-ecosystem/tasks': () => tasks,
      'static/tekton-results/route-rbac': () => route,
      'static/tekton-config/00-console-plugin': () => consolePlugin,
      'pipelines-as-code-templates': () => templates,
      'pipelines-as-code': () =>
        [
          infoMap('pipelines-as-code-info', 'v0.50.0'),
          workload('pipelines-as-code-webhook', 'pac-webhook'),
        ] as readonly DynamicObject[],
    };
    const results = { folder: 'tekton-results', version: 'v0.20.0', objects: () => resultsRelease };
    cluster = await operatorCluster({
      environment: { ...settings, PLATFORM: 'openshift' },
      payloads: [realReleases(), objectPayload([results], extras)],
      server: [constraints, apiServers, routes, consolePlugins],
    });
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: { name: 'openshift' } });
    await assignUsers(cluster);
    await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
    const spec = { targetNamespace: namespace, platforms: {}, chain: { disabled: true }, result: { disabled: false } };
    await client.create(tektonConfig(spec));
    await untilReady(cluster);
  }, timeout);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  it('there are constraints for runs, and an account in every namespace of a user', async () => {
    const { client } = cluster;
    expect(await find(client, constraints, 'pipelines-scc')).toBeDefined();
    const role = await client.get(kinds.ClusterRole, { name: 'pipelines-scc-clusterrole' });
    expect(role.rules).toMatchObject([{ resourceNames: ['pipelines-scc'], verbs: ['use'] }]);
    expect(await client.get(kinds.ServiceAccount, { namespace: 'shop', name: 'pipeline' })).toBeDefined();
    const binding = await client.get(kinds.RoleBinding, { namespace: 'shop', name: 'pipelines-scc-rolebinding' });
    expect(binding.roleRef).toMatchObject({ kind: 'ClusterRole', name: 'pipelines-scc-clusterrole' });
    expect(await client.get(kinds.RoleBinding, { namespace: 'shop', name: 'openshift-pipelines-edit' })).toBeDefined();
    expect(await client.get(kinds.ConfigMap, { namespace: 'shop', name: 'config-trusted-cabundle' })).toBeDefined();
    const { metadata } = await client.get(kinds.Namespace, { name: 'shop' });
    expect(metadata.labels).toMatchObject({
      'openshift-pipelines.tekton.dev/namespace-reconcile-version': 'v0.81.1',
      'openshift-pipelines.tekton.dev/namespace-trusted-configmaps-version': 'v0.81.1',
    });
    expect(await find(client, kinds.ServiceAccount as never, 'pipeline', 'kube-system')).toBeUndefined();
    const readers = await client.get(kinds.ClusterRoleBinding, { name: 'openshift-pipelines-clusterinterceptors' });
    expect(readers.subjects).toContainEqual({ kind: 'ServiceAccount', name: 'pipeline', namespace: 'shop' });
    expect(readers.subjects?.map((each) => each.namespace)).not.toContain('kube-system');
  });

  it('a namespace that comes later is served too, and one that wants other constraints gets them', async () => {
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: { name: 'later' } });
    await eventually(
      cluster,
      async () => (await find(client, kinds.ServiceAccount as never, 'pipeline', 'later')) !== undefined,
    );
    await client.create(constraints, { metadata: { name: 'mine' } } as never);
    const annotations = { 'operator.tekton.dev/scc': 'mine' };
    await client.create(kinds.Namespace, { metadata: { name: 'special', annotations } });
    await eventually(
      cluster,
      async () => (await find(client, kinds.Role as never, 'pipelines-scc-role', 'special')) !== undefined,
    );
    const binding = await client.get(kinds.RoleBinding, { namespace: 'special', name: 'pipelines-scc-rolebinding' });
    expect(binding.roleRef).toMatchObject({ kind: 'Role', name: 'pipelines-scc-role' });
  });

  it('a namespace with missing constraints gets an Event', async () => {
    const { client } = cluster;
    const annotations = { 'operator.tekton.dev/scc': 'nowhere' };
    await client.create(kinds.Namespace, { metadata: { name: 'wrong', annotations } });
    const events = async () => (await client.list(kinds.Event, { namespace: 'wrong' })).items;
    await eventually(cluster, async () => (await events()).some(({ reason }) => reason === 'RequestedSCCNotFound'));
    await client.delete(kinds.Namespace, { name: 'wrong' });
  });

  it('no namespace gets constraints that allow more than it may have', async () => {
    const { client } = cluster;
    await client.create(constraints, { metadata: { name: 'wide' }, allowHostNetwork: true } as never);
    const limited = (maxAllowed: string) =>
      client.patch(
        TektonConfig,
        { name: 'config' },
        mergePatch({ spec: { platforms: { openshift: { scc: { default: 'pipelines-scc', maxAllowed } } } } }),
      );
    await limited('pipelines-scc');
    await untilReady(cluster);
    const annotations = { 'operator.tekton.dev/scc': 'wide' };
    await client.create(kinds.Namespace, { metadata: { name: 'greedy', annotations } });
    const events = async () => (await client.list(kinds.Event, { namespace: 'greedy' })).items;
    await eventually(cluster, async () => (await events()).length > 0);
    expect((await events()).map(({ message }) => message)).toEqual([
      "namespace: greedy has requested SCC: wide, but it is less restrictive than the 'maxAllowed' SCC: pipelines-scc",
    ]);
    expect(await find(client, kinds.Role as never, 'pipelines-scc-role', 'greedy')).toBeUndefined();
    await client.delete(kinds.Namespace, { name: 'greedy' });
    await limited('');
    await untilReady(cluster);
  });

  it('Pods have no fixed users, and the certificates of the platform', async () => {
    const { client } = cluster;
    const { spec } = await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
    const container = spec?.template.spec?.containers?.[0];
    expect(container?.securityContext).not.toHaveProperty('runAsUser');
    expect(container?.env?.map(({ name }) => name)).toContain('SSL_CERT_DIR');
    expect(container?.volumeMounts?.map(({ name }) => name)).toContain('config-trusted-cabundle-volume');
    const { metadata } = await client.get(kinds.Namespace, { name: namespace });
    expect(metadata.labels).toMatchObject({ 'openshift.io/cluster-monitoring': 'true' });
    const pre = (await client.list(TektonInstallerSet, { labelSelector: 'operator.tekton.dev/type=pre' })).items;
    expect(pre).toHaveLength(1);
  });

  const variables = async (name: string, container: string) => {
    const { spec } = await cluster.client.get(kinds.Deployment, { namespace, name });
    const found = spec?.template.spec?.containers?.find((each) => each.name === container);
    return Object.fromEntries((found?.env ?? []).map((each) => [each.name, each.value]));
  };

  const nginx = async () => {
    const name = 'pipelines-console-plugin';
    return (await cluster.client.get(kinds.ConfigMap, { namespace, name })).data?.['nginx.conf'] ?? '';
  };

  it("the console has its plugin, in a set under upstream's labels", async () => {
    const { client } = cluster;
    expect(await client.get(consolePlugins, { name: 'pipelines-console-plugin' })).toMatchObject({
      spec: { backend: { service: { namespace } } },
    });
    expect(await nginx()).toContain('ssl_protocols TLSv1.2 TLSv1.3;');
    const labelSelector = 'operator.tekton.dev/created-by=tekton-config-console-plugin-manifests';
    const [set] = (await client.list(TektonInstallerSet, { labelSelector })).items;
    expect(set?.metadata.labels).toMatchObject({ 'operator.tekton.dev/type': 'config' });
  });

  it('servers of components follow the TLS profile of the cluster, unless that is off', async () => {
    const { client } = cluster;
    expect(await variables('tekton-pipelines-webhook', 'webhook')).toMatchObject({
      WEBHOOK_TLS_MIN_VERSION: '1.2',
      WEBHOOK_TLS_CIPHER_SUITES: expect.stringMatching(/^TLS_AES_128_GCM_SHA256,/) as string,
    });
    await client.create(apiServers, {
      metadata: { name: 'cluster' },
      spec: { tlsSecurityProfile: { type: 'Modern', modern: {} } },
    } as never);
    for (const [deployment, container, variable] of [
      ['tekton-pipelines-webhook', 'webhook', 'WEBHOOK_TLS_MIN_VERSION'],
      ['tekton-triggers-core-interceptors', 'tekton-triggers-core-interceptors', 'TLS_MIN_VERSION'],
      ['tekton-results-api', 'api', 'TLS_MIN_VERSION'],
      ['pipelines-as-code-webhook', 'pac-webhook', 'WEBHOOK_TLS_MIN_VERSION'],
    ] as const)
      await eventually(cluster, async () => (await variables(deployment, container))[variable] === '1.3');
    await eventually(cluster, async () => (await nginx()).includes('ssl_protocols TLSv1.3;'));
    const off = { platforms: { openshift: { enableCentralTLSConfig: false } } };
    await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: off }));
    await eventually(
      cluster,
      async () => !('WEBHOOK_TLS_MIN_VERSION' in (await variables('tekton-pipelines-webhook', 'webhook'))),
    );
    await untilReady(cluster);
  });

  it('Results have a Route with the settings of the TektonConfig, and a certificate of the platform', async () => {
    const { client } = cluster;
    const read = () => client.getOrUndefined(routes, { namespace, name: 'tekton-results-api' });
    expect(await read()).toMatchObject({
      spec: { to: { name: 'tekton-results-api-service' }, tls: { termination: 'edge' } },
      metadata: { labels: { 'operator.tekton.dev/operand-name': 'tektoncd-results' } },
    });
    const binding = { namespace, name: 'tekton-results-route-view-auth' };
    expect(await client.get(kinds.RoleBinding, binding)).toBeDefined();
    const { metadata } = await client.get(kinds.Service, { namespace, name: 'tekton-results-api-service' });
    expect(metadata.annotations).toMatchObject({
      'service.beta.openshift.io/serving-cert-secret-name': 'tekton-results-tls',
    });
    const result = (settings: object) =>
      client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: { result: settings } }));
    await result({ route_host: 'results.example.com' });
    await eventually(
      cluster,
      async () => ((await read())?.spec as { host?: string } | undefined)?.host === 'results.example.com',
    );
    await result({ route_enabled: false });
    await eventually(cluster, async () => (await read()) === undefined);
    await untilReady(cluster);
  });

  it('templates of PipelineRuns are ConfigMaps that everybody finds', async () => {
    const { client } = cluster;
    const name = 'pipelines-as-code-pipelinerun-go';
    const { data, metadata } = await client.get(kinds.ConfigMap, { namespace: 'openshift', name });
    expect(metadata.labels).toMatchObject({ 'pipelinesascode.openshift.io/runtime': 'go' });
    expect(data?.['template']).toMatch(/^apiVersion: tekton.dev\/v1\nkind: PipelineRun\n[^]*bundle: a\n +name: b\n$/);
  });

  it('there are addons, and no dashboard', async () => {
    const { client } = cluster;
    expect((await conditionOf(client, TektonAddon, 'addon'))?.status).toBe('True');
    expect((await client.get(TektonAddon, { name: 'addon' })).status?.version).toBe('v0.81.1');
    const sets = (
      await client.list(TektonInstallerSet, { labelSelector: 'operator.tekton.dev/created-by=TektonAddon' })
    ).items;
    const types = sets.map(({ metadata }) => metadata.labels?.['operator.tekton.dev/type'] ?? '');
    expect(new Set(types)).toEqual(
      new Set(['custom-resolvertask', 'custom-triggersresources', 'custom-versionedresolvertask']),
    );
    const names = async () =>
      (await client.list({ apiVersion: 'tekton.dev/v1', kind: 'Task' }, { namespace })).items.map(
        ({ metadata }) => metadata.name,
      );
    expect(new Set(await names())).toEqual(new Set(['git-clone', 'git-clone-0-81-0']));

    // Tasks of the minor version before stay for those who name them.
    await cluster.restart({ version: 'v0.82.0' });
    await eventually(cluster, async () => (await names()).includes('git-clone-0-82-0'));
    await untilReady(cluster);
    expect(new Set(await names())).toEqual(new Set(['git-clone', 'git-clone-0-81-0', 'git-clone-0-82-0']));
    const config = await client.get(TektonConfig, { name: 'config' });
    expect(config.spec?.pipeline).toMatchObject({ 'default-service-account': 'pipeline' });
  });

  it('says which constraints are missing', async () => {
    const { client } = cluster;
    const scc = { default: 'gone' };
    await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: { platforms: { openshift: { scc } } } }));
    const message = async () => (await conditionOf(client, TektonConfig, 'config'))?.message;
    await eventually(cluster, async () => (await message())?.includes('gone') ?? false);
    expect(await message()).toBe('PreReconciliation failed with message: failed to verify scc gone exists');
    const restored = { default: 'pipelines-scc' };
    await client.patch(
      TektonConfig,
      { name: 'config' },
      mergePatch({ spec: { platforms: { openshift: { scc: restored } } } }),
    );
    await untilReady(cluster);
  });

  it('leaves the namespaces of users as they were', async () => {
    const { client } = cluster;
    await client.delete(TektonConfig, { name: 'config' });
    await eventually(cluster, async () => (await find(client, TektonConfig, 'config')) === undefined);
    expect(await find(client, TektonPipeline, 'pipeline')).toBeUndefined();
    const { metadata } = await client.get(kinds.Namespace, { name: 'shop' });
    expect(Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('openshift-pipelines'))).toEqual([]);
    await eventually(cluster, async () => (await client.list(TektonInstallerSet)).items.length === 0);
  });
});
