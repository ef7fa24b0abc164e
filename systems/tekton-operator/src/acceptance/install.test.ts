import { type Client, kinds, mergePatch } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKinds } from '../event-pruner/pruned-run.ts';
import { keys } from '../installer-set/set-keys.ts';
import {
  ManualApprovalGate,
  OpenShiftPipelinesAsCode,
  TektonChain,
  TektonDashboard,
  TektonInstallerSet,
  TektonPipeline,
  TektonResult,
  TektonTrigger,
} from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { TektonHub } from '../kinds/tekton-hub.ts';
import {
  conditionOf,
  eventually,
  find,
  hasReleases,
  type OperatorCluster,
  operatorCluster,
  tektonConfig,
  untilReady,
} from '../test-support.ts';

const namespace = 'tekton-pipelines';
const timeout = 240_000;

describe.runIf(hasReleases)('a TektonConfig with the profile all', { timeout }, () => {
  let cluster: OperatorCluster;
  let client: Client;
  const configPatch = (spec: object) => client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec }));
  const sets = async (createdBy: string, type?: string) =>
    (
      await client.list(TektonInstallerSet, {
        labelSelector: `${keys.createdBy}=${createdBy}${type ? `,${keys.type}=${type}` : ''}`,
      })
    ).items;

  beforeAll(async () => {
    cluster = await operatorCluster();
    client = cluster.client;
    await client.create(tektonConfig());
    await untilReady(cluster);
  }, timeout);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  it('has every component ready, with the version of its release', async () => {
    for (const [kind, name, version] of [
      [TektonPipeline, 'pipeline', 'v1.15.0'],
      [TektonTrigger, 'trigger', 'v0.37.0'],
      [TektonChain, 'chain', 'v0.29.2'],
      [TektonDashboard, 'dashboard', 'v0.71.0'],
    ] as const) {
      const component = await client.get(kind as typeof TektonPipeline, { name });
      expect([name, component.status?.version]).toEqual([name, version]);
      expect((await conditionOf(client, kind, name))?.status).toBe('True');
      expect(component.metadata.finalizers).toEqual([`${kind.plural}.operator.tekton.dev`]);
      expect(component.status?.observedGeneration).toBe(component.metadata.generation);
    }
    expect(await find(client, TektonResult, 'result')).toBeUndefined();
    expect(await find(client, OpenShiftPipelinesAsCode, 'pipelines-as-code')).toBeUndefined();
  });

  it('says what it did', async () => {
    const config = await client.get(TektonConfig, { name: 'config' });
    expect(config.status).toMatchObject({
      version: 'v0.81.1',
      annotations: {
        'operator.tekton.dev/pre-upgrade-version': 'v0.81.1',
        'operator.tekton.dev/post-upgrade-version': 'v0.81.1',
      },
    });
    expect(config.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'ComponentsReady=True',
      'PostInstall=True',
      'PostUpgrade=True',
      'PreInstall=True',
      'PreUpgrade=True',
      'Ready=True',
    ]);
    expect(config.metadata.labels).toMatchObject({ 'operator.tekton.dev/release-version': 'v0.81.1' });
    // A new version turns step actions on, on a fresh cluster too.
    expect(config.spec?.pipeline?.['enable-step-actions']).toBe(true);
  });

  it('has two main sets for a component, found by their labels', async () => {
    const main = await sets('TektonPipeline', 'main');
    expect(main.map(({ metadata }) => metadata.name?.replace(/.{5}$/, ''))).toEqual([
      'pipeline-main-deployment-',
      'pipeline-main-static-',
    ]);
    const pipeline = await client.get(TektonPipeline, { name: 'pipeline' });
    for (const { metadata, status, spec } of main) {
      expect(metadata.labels).toEqual({
        'operator.tekton.dev/created-by': 'TektonPipeline',
        'operator.tekton.dev/release-version': 'v0.81.1',
        'operator.tekton.dev/type': 'main',
      });
      expect(metadata.annotations).toMatchObject({
        'operator.tekton.dev/target-namespace': namespace,
        'operator.tekton.dev/last-applied-hash': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      });
      expect(metadata.ownerReferences).toMatchObject([
        { kind: 'TektonPipeline', name: 'pipeline', uid: pipeline.metadata.uid, controller: true },
      ]);
      expect(status?.conditions?.every(({ status: is }) => is === 'True')).toBe(true);
      expect(spec?.manifests?.some(({ kind }) => kind === 'Namespace')).toBe(false);
    }
    expect((await sets('TektonChain')).map(({ metadata }) => metadata.labels?.[keys.type] ?? '').toSorted()).toEqual([
      'chain',
      'chain-config',
      'chain-secret',
      'custom-chain-network-policies',
    ]);
  });

  it('owns the namespace, and the set owns what it installed, but not the definitions', async () => {
    const config = await client.get(TektonConfig, { name: 'config' });
    const { metadata } = await client.get(kinds.Namespace, { name: namespace });
    expect(metadata.labels).toMatchObject({ 'operator.tekton.dev/targetNamespace': 'true' });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'TektonConfig', uid: config.metadata.uid }]);
    const definition = await client.get(kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' });
    expect(definition.metadata.ownerReferences).toMatchObject([{ kind: 'TektonPipeline', controller: true }]);
    const hook = await client.get(kinds.ValidatingWebhookConfiguration, { name: 'config.webhook.pipeline.tekton.dev' });
    expect(hook.metadata.ownerReferences).toMatchObject([{ kind: 'TektonPipeline' }]);
    const deployment = await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
    expect(deployment.metadata.ownerReferences).toMatchObject([{ kind: 'TektonInstallerSet' }]);
    expect(deployment.metadata.labels).toMatchObject({ 'operator.tekton.dev/operand-name': 'tektoncd-pipelines' });
    expect(deployment.spec?.template.metadata?.labels).toMatchObject({
      'operator.tekton.dev/deployment-spec-applied-hash': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
  });

  it('writes its settings into the ConfigMaps of components', async () => {
    await configPatch({
      pipeline: {
        'enable-api-fields': 'alpha',
        'default-timeout-minutes': 5,
        performance: { buckets: 3, replicas: 2 },
      },
    });
    const flags = async () => (await client.get(kinds.ConfigMap, { namespace, name: 'feature-flags' })).data;
    await eventually(cluster, async () => (await flags())?.['enable-api-fields'] === 'alpha');
    expect(await flags()).not.toHaveProperty('performance');
    const defaults = await client.get(kinds.ConfigMap, { namespace, name: 'config-defaults' });
    expect(defaults.data?.['default-timeout-minutes']).toBe('5');
    const election = await client.get(kinds.ConfigMap, { namespace, name: 'config-leader-election-controller' });
    expect(election.data?.buckets).toBe('3');
    await untilReady(cluster);
    const deployment = await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
    expect(deployment.spec?.replicas).toBe(2);
    expect(deployment.spec?.template.metadata?.labels).toMatchObject({
      'config-leader-election-controller.data.buckets': '3',
      'deployment.spec.replicas': '2',
    });
  });

  it('recreates deleted objects of every kind, is not ready meanwhile, and keeps edits', async () => {
    const owned = [
      [kinds.Deployment, { namespace, name: 'tekton-pipelines-webhook' }],
      [kinds.ServiceAccount, { namespace, name: 'tekton-pipelines-controller' }],
      [kinds.ClusterRole, { name: 'tekton-pipelines-controller-cluster-access' }],
      [kinds.ConfigMap, { namespace, name: 'feature-flags' }],
      [kinds.Service, { namespace, name: 'tekton-pipelines-webhook' }],
      [kinds.Secret, { namespace, name: 'webhook-certs' }],
      [kinds.RoleBinding, { namespace, name: 'tekton-pipelines-webhook' }],
      [kinds.ValidatingWebhookConfiguration, { name: 'validation.webhook.pipeline.tekton.dev' }],
      [kinds.MutatingWebhookConfiguration, { name: 'webhook.pipeline.tekton.dev' }],
      [kinds.ClusterRoleBinding, { name: 'tekton-pipelines-controller-cluster-access' }],
      [kinds.Role, { namespace, name: 'tekton-pipelines-webhook' }],
      [kinds.NetworkPolicy, { namespace, name: 'pipeline-default-deny' }],
      [kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' }],
    ] as const;
    for (const [kind, key] of owned) {
      await untilReady(cluster);
      const read = () => find(client, kind as never, key.name, 'namespace' in key ? key.namespace : undefined);
      const before = (await client.get<KubeObject>(kind as never, key)).metadata.uid;
      await client.delete(kind as never, key);
      let wasReported = false;
      let isBack = false;
      for (let step = 0; step < 50 && !(wasReported && isBack); step++) {
        await cluster.clock.advance(100);
        wasReported ||= (await conditionOf(client, TektonConfig, 'config'))?.status !== 'True';
        const after = await read();
        isBack = after !== undefined && after.metadata.uid !== before;
      }
      expect({ ...key, wasReported, isBack }).toEqual({ ...key, wasReported: true, isBack: true });
    }
    const key = { namespace, name: 'feature-flags' };
    await client.patch(kinds.ConfigMap, key, mergePatch({ data: { coschedule: 'disabled' } }));
    await cluster.clock.advance(60_000);
    const edited: ConfigMap = await client.get(kinds.ConfigMap, key);
    expect(edited.data?.coschedule).toBe('disabled');
    await configPatch({ pipeline: { 'keep-pod-on-cancel': true } });
    await eventually(cluster, async () => (await client.get(kinds.ConfigMap, key)).data?.coschedule === 'workspaces');
  });

  it('is not ready until a deleted ConfigMap was recreated', async () => {
    await untilReady(cluster);
    await client.delete(kinds.ConfigMap, { namespace, name: 'feature-flags' });
    let message: string | undefined;
    for (let step = 0; step < 50 && message === undefined; step++) {
      await cluster.clock.advance(100);
      const ready = await conditionOf(client, TektonConfig, 'config');
      if (ready?.status !== 'True') message = ready?.message;
    }
    expect(message).toContain(`ConfigMap ${namespace}/feature-flags was deleted; it is recreated`);
    expect(await find(client, kinds.ConfigMap as never, 'feature-flags', namespace)).toBeDefined();
    await untilReady(cluster);
  });

  it('recreates a deleted set without losing data', async () => {
    const claim = {
      metadata: { namespace, name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await client.create(kinds.PersistentVolumeClaim, claim);
    await untilReady(cluster);
    const [deployment] = await sets('TektonPipeline', 'main');
    const task = {
      apiVersion: 'tekton.dev/v1',
      kind: 'Task',
      metadata: { namespace: 'default', name: 'mine' },
      spec: { steps: [{ name: 'a', image: 'a' }] },
    };
    await client.create(task as unknown as KubeObject);
    await client.delete(TektonInstallerSet, { name: deployment?.metadata.name ?? '' });
    await eventually(cluster, async () => {
      const now = await sets('TektonPipeline', 'main');
      return now.length === 2 && now.every(({ metadata }) => metadata.uid !== deployment?.metadata.uid);
    });
    await untilReady(cluster);
    expect(await find(client, kinds.PersistentVolumeClaim as never, 'data', namespace)).toBeDefined();
    expect(await find(client, kinds.CustomResourceDefinition as never, 'tasks.tekton.dev')).toBeDefined();
    expect(
      await client.get({ apiVersion: 'tekton.dev/v1', kind: 'Task' }, { namespace: 'default', name: 'mine' }),
    ).toBeDefined();
    expect((await client.get(kinds.Namespace, { name: namespace })).metadata.deletionTimestamp).toBeUndefined();
  });

  it('restricts the network of components by policies of its own and the user, unless they are off', async () => {
    const policies = async () =>
      new Map((await client.list(kinds.NetworkPolicy, { namespace })).items.map((item) => [item.metadata.name, item]));
    const open = { podSelector: {}, policyTypes: ['Egress'], egress: [{}] };
    await configPatch({ networkPolicy: { policies: { 'pipeline-webhook': open, mine: open } } });
    await eventually(cluster, async () => (await policies()).has('mine'));
    await untilReady(cluster);
    const found = await policies();
    expect(found.get('pipeline-webhook')?.spec).toEqual(open);
    expect(found.get('pipeline-controller')?.spec?.policyTypes).toEqual(['Ingress', 'Egress']);
    await configPatch({ networkPolicy: { disabled: true } });
    await eventually(cluster, async () => (await policies()).size === 0);
    await configPatch({ networkPolicy: null });
    await eventually(cluster, async () => (await policies()).has('pipeline-default-deny'));
    await untilReady(cluster);
    expect((await policies()).has('mine')).toBe(false);
  });

  it('says which of two pruners is one too many, and goes no further', async () => {
    await configPatch({ tektonpruner: { disabled: false }, trigger: { 'enable-api-fields': 'alpha' } });
    await eventually(cluster, async () => (await conditionOf(client, TektonConfig, 'config'))?.status === 'False');
    expect((await conditionOf(client, TektonConfig, 'config'))?.message).toMatch(
      /^Components not in ready state: Invalid Pruner Configuration!! Both pruners/,
    );
    await cluster.clock.advance(30_000);
    expect((await client.get(TektonTrigger, { name: 'trigger' })).spec?.['enable-api-fields']).toBe('stable');
    await configPatch({ tektonpruner: { disabled: true } });
    await untilReady(cluster);
    expect((await client.get(TektonTrigger, { name: 'trigger' })).spec?.['enable-api-fields']).toBe('alpha');
  });

  it('follows the autoscaler of the user', async () => {
    await configPatch({
      pipeline: {
        options: {
          deployments: { 'tekton-pipelines-webhook': { spec: { replicas: 2 } } },
          horizontalPodAutoscalers: {
            'tekton-pipelines-webhook': {
              spec: {
                minReplicas: 4,
                maxReplicas: 5,
                scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'tekton-pipelines-webhook' },
              },
            },
          },
        },
      },
    });
    const replicas = async () =>
      (await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-webhook' })).spec?.replicas;
    await eventually(cluster, async () => (await replicas()) === 4);
    await untilReady(cluster);
  });

  it('takes components away with the profile, with their finalizers of runs, and brings them back', async () => {
    const pipeline = await client.get(TektonPipeline, { name: 'pipeline' });
    const { kind: taskRuns } = runKinds.TaskRun;
    const finalizers = ['chains.tekton.dev/taskrun', 'example.com/kept'];
    await client.create(taskRuns, { metadata: { name: 'signed', namespace: 'default', finalizers } });
    await configPatch({ profile: 'lite' });
    await eventually(cluster, async () => {
      const left = [
        await find(client, TektonTrigger, 'trigger'),
        await find(client, TektonChain, 'chain'),
        await find(client, TektonDashboard, 'dashboard'),
      ];
      return left.every((component) => component === undefined);
    });
    await untilReady(cluster);
    const signed = await client.get(taskRuns, { name: 'signed', namespace: 'default' });
    expect(signed.metadata.finalizers).toEqual(['example.com/kept']);
    await client.patch(
      taskRuns,
      { name: 'signed', namespace: 'default' },
      mergePatch({ metadata: { finalizers: [] } }),
    );
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).metadata.uid).toBe(pipeline.metadata.uid);
    expect(await sets('TektonTrigger')).toEqual([]);
    await configPatch({ profile: 'basic' });
    await eventually(cluster, async () => (await conditionOf(client, TektonChain, 'chain'))?.status === 'True');
    await untilReady(cluster);
    expect(await find(client, TektonDashboard, 'dashboard')).toBeUndefined();
  });

  it('lets a TektonHub of an earlier release go', async () => {
    const metadata = { name: 'hub', finalizers: ['tektonhubs.operator.tekton.dev'] };
    await client.create(TektonHub, { metadata, spec: { targetNamespace: namespace, db: { secret: 'x' } } } as never);
    await eventually(cluster, async () => (await conditionOf(client, TektonHub, 'hub')) !== undefined);
    expect((await conditionOf(client, TektonHub, 'hub'))?.message).toContain('Tekton Hub is not installed any more');
    await client.delete(TektonHub, { name: 'hub' });
    await eventually(cluster, async () => (await find(client, TektonHub, 'hub')) === undefined);
  });

  it('ignores objects with other names', async () => {
    await client.create(ManualApprovalGate, {
      metadata: { name: 'other' },
      spec: { targetNamespace: namespace },
    } as never);
    await eventually(cluster, async () => (await conditionOf(client, ManualApprovalGate, 'other')) !== undefined);
    expect(await conditionOf(client, ManualApprovalGate, 'other')).toMatchObject({
      status: 'False',
      message: 'Ready: Resource ignored, Expected Name: manual-approval-gate, Got Name: other',
    });
    await client.delete(ManualApprovalGate, { name: 'other' });
  });

  it('says which component has no release', async () => {
    await configPatch({ result: { disabled: false } });
    const message = async () => (await conditionOf(client, TektonConfig, 'config'))?.message ?? '';
    await eventually(cluster, async () => (await message()).includes('there is no release of tekton-results'));
    expect(await message()).toMatch(/^Components not in ready state: TektonResult: Installer set not ready: /);
    await configPatch({ result: { disabled: true } });
    await untilReady(cluster);
  });

  it('leaves nothing behind when it is deleted', async () => {
    await client.delete(TektonConfig, { name: 'config' });
    await eventually(cluster, async () => (await find(client, TektonConfig, 'config')) === undefined);
    expect((await client.list(TektonInstallerSet)).items).toEqual([]);
    const definitions = (await client.list(kinds.CustomResourceDefinition)).items.map(({ metadata }) => metadata.name);
    expect(definitions.filter((name) => !name?.endsWith('operator.tekton.dev'))).toEqual([]);
    await eventually(cluster, async () => (await find(client, kinds.Namespace as never, namespace)) === undefined);
    expect((await client.list(kinds.ClusterRole, { labelSelector: 'operator.tekton.dev/operand-name' })).items).toEqual(
      [],
    );
  });
});
