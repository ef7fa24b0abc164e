import { kinds, mergePatch } from '@tektite/client';
import { installKinds, startSystems } from '@tektite/controller';
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
    const extras = { 'tekton-addon/addons/01-clustertriggerbindings': () => bindings };
    cluster = await operatorCluster({
      environment: { ...settings, PLATFORM: 'openshift' },
      payloads: [realReleases(), objectPayload([], extras)],
    });
    const { client } = cluster;
    await installKinds(client, [constraints]);
    await assignUsers(cluster);
    await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
    const platforms = { openshift: { pipelinesAsCode: { enable: false } } };
    await client.create(tektonConfig({ targetNamespace: namespace, platforms, chain: { disabled: true } }));
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

  it('there are addons, and no dashboard', async () => {
    const { client } = cluster;
    expect((await conditionOf(client, TektonAddon, 'addon'))?.status).toBe('True');
    expect((await client.get(TektonAddon, { name: 'addon' })).status?.version).toBe('v0.81.1');
    const sets = (
      await client.list(TektonInstallerSet, { labelSelector: 'operator.tekton.dev/created-by=TektonAddon' })
    ).items;
    expect(sets.map(({ metadata }) => metadata.labels?.['operator.tekton.dev/type'])).toEqual([
      'custom-triggersresources',
    ]);
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
