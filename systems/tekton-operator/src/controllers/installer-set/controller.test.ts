import { type Client, keyOf, kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { type DynamicObject, findCondition } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TektonInstallerSet } from '../../kinds/kinds.ts';
import { installerSetController } from './controller.ts';

describe('a TektonInstallerSet', () => {
  let plane: ControlPlane;
  let client: Client;
  let running: RunningSystems;
  beforeAll(async () => {
    plane = await startControlPlane();
    client = plane.client;
    const system = {
      name: 'sets',
      kinds: [TektonInstallerSet],
      controllers: [installerSetController({ HTTPS_PROXY: 'http://proxy' })],
    };
    running = await startSystems([system], { client, graceMs: 0 });
  });
  afterAll(async () => {
    await running.stop();
    await plane.close();
  });

  const create = (name: string, manifests: unknown) =>
    client.create(TektonInstallerSet, { metadata: { name }, spec: { manifests } } as never);
  const ready = async (name: string) => {
    const { status } = await client.get(TektonInstallerSet, { name });
    const condition = findCondition(status?.conditions, 'Ready');
    return condition?.status === 'True' ? 'True' : condition?.message;
  };
  const poll = (read: () => Promise<unknown>) => expect.poll(read, { timeout: 20_000 });
  const map = (name: string, value = '1') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name },
    data: { value },
  });

  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gears.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gears', singular: 'gear', kind: 'Gear', listKind: 'GearList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const inDefault = (name: string) => ({ namespace: 'default', name });
  const rbac = 'rbac.authorization.k8s.io';
  const everything = [
    map('healed'),
    map('lost'),
    { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('healed'), stringData: { a: 'b' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inDefault('healed') },
    { apiVersion: 'v1', kind: 'Service', metadata: inDefault('healed'), spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: inDefault('healed'),
      spec: { podSelector: {} },
    },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: inDefault('healed'), rules: [] },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'healed' }, rules: [] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'healed' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'healed' },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'healed' },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'healed' },
    },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'healed' }, value: 7 },
    { apiVersion: 'example.com/v1', kind: 'Gear', metadata: inDefault('healed') },
    definition,
  ] as unknown as readonly DynamicObject[];

  it('is ready with objects of many kinds, some of a kind that it defines', async () => {
    await create('everything', everything);
    await poll(() => ready('everything')).toBe('True');
  });

  it.each(everything.map((object) => [object.kind, object] as const))('recreates a deleted %s', async (_, object) => {
    const uid = async () => (await client.getOrUndefined(object, keyOf(object)))?.metadata.uid;
    const before = await uid();
    expect(before).toBeDefined();
    await client.delete(object, keyOf(object));
    await poll(async () => [undefined, before].includes(await uid())).toBe(false);
  });

  it('recreates nothing for a component that is being deleted', async () => {
    const finalizers = ['example.com/hold'];
    const owner = await client.create(kinds.ClusterRole, { metadata: { name: 'owner', finalizers }, rules: [] });
    const { name = '', uid = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name, uid, controller: true }];
    const metadata = { name: 'owned', ownerReferences };
    await client.create(TektonInstallerSet, { metadata, spec: { manifests: [map('of-owner')] } } as never);
    await poll(() => ready('owned')).toBe('True');
    await client.delete(kinds.ClusterRole, { name });
    await client.delete(kinds.ConfigMap, inDefault('of-owner'));
    // By the time that another set has recreated an object, this one would have, too.
    const uidOf = async () => (await client.getOrUndefined(kinds.ConfigMap, inDefault('lost')))?.metadata.uid;
    const before = await uidOf();
    await client.delete(kinds.ConfigMap, inDefault('lost'));
    await poll(async () => [undefined, before].includes(await uidOf())).toBe(false);
    expect(await client.getOrUndefined(kinds.ConfigMap, inDefault('of-owner'))).toBeUndefined();
  });

  it('is not ready for a moment when an object was deleted', async () => {
    await poll(() => ready('everything')).toBe('True');
    const { metadata } = await client.get(TektonInstallerSet, { name: 'everything' });
    const stream = await client.watch(TektonInstallerSet, {
      fieldSelector: 'metadata.name=everything',
      resourceVersion: metadata.resourceVersion ?? '',
    });
    await client.delete(kinds.ConfigMap, inDefault('healed'));
    const states: string[] = [];
    let unreadySince = 0;
    for await (const event of stream) {
      if (event.type !== 'MODIFIED') continue;
      const { status, message = '' } = findCondition(event.object.status?.conditions, 'Ready') ?? {};
      const state = status === 'True' ? status : message;
      if (states.at(-1) !== state) states.push(state);
      if (status === 'False') unreadySince ||= performance.now();
      if (status === 'True' && unreadySince > 0) break;
    }
    // A first state may come from a write of the inventory, before the condition is written.
    expect(states.slice(-2)).toEqual(['ConfigMap default/healed was deleted; it is recreated', 'True']);
    // Long enough for the owners of the set to observe it.
    expect(performance.now() - unreadySince).toBeGreaterThan(900);
  });

  it('reports recreated objects as Events', async () => {
    const messages = async () => (await client.list(kinds.Event)).items.map(({ message }) => message);
    await poll(messages).toContain('ConfigMap default/healed was deleted; it is recreated');
  });

  it('repairs an object that lost its hash, and leaves other edits', async () => {
    const dataOf = async (name: string) => (await client.get(kinds.ConfigMap, inDefault(name))).data;
    const edit = { data: { value: 'mine' } };
    await client.patch(kinds.ConfigMap, inDefault('healed'), mergePatch(edit));
    const lost = { metadata: { annotations: { 'operator.tekton.dev/last-applied-hash': null } } };
    await client.patch(kinds.ConfigMap, inDefault('lost'), mergePatch({ ...lost, ...edit }));
    await poll(() => dataOf('lost')).toEqual({ value: '1' });
    await poll(() => ready('everything')).toBe('True');
    expect(await dataOf('healed')).toEqual({ value: 'mine' });
  });

  it('takes away what leaves it, and keeps what users edited in the rest', async () => {
    await create('maps', [map('a'), map('b')]);
    await poll(() => ready('maps')).toBe('True');
    await client.patch(kinds.ConfigMap, { namespace: 'default', name: 'a' }, mergePatch({ data: { value: 'mine' } }));
    await client.patch(TektonInstallerSet, { name: 'maps' }, mergePatch({ spec: { manifests: [map('a')] } }));
    await poll(() =>
      client.get(kinds.ConfigMap, { namespace: 'default', name: 'b' }).then(
        () => 'there',
        () => 'gone',
      ),
    ).toBe('gone');
    expect((await client.get(kinds.ConfigMap, { namespace: 'default', name: 'a' })).data).toEqual({ value: 'mine' });
    await client.patch(TektonInstallerSet, { name: 'maps' }, mergePatch({ spec: { manifests: [map('a', '2')] } }));
    await poll(async () => (await client.get(kinds.ConfigMap, { namespace: 'default', name: 'a' })).data).toEqual({
      value: '2',
    });
    await client.delete(TektonInstallerSet, { name: 'maps' });
    await poll(() =>
      client.get(kinds.ConfigMap, { namespace: 'default', name: 'a' }).then(
        () => 'there',
        () => 'gone',
      ),
    ).toBe('gone');
  });

  it.each([
    ['text', 'spec.manifests is no list'],
    [[map('fine'), { kind: 'ConfigMap' }], 'spec.manifests[1] is no Kubernetes object'],
    [[7], 'spec.manifests[0] is no Kubernetes object'],
  ])('with invalid content reports it: %j', async (manifests, violation) => {
    const name = `nonsense-${JSON.stringify(manifests).length}`;
    await create(name, manifests);
    await poll(() => ready(name)).toBe(`Install failed with message: ${violation}`);
  });

  it('says which object the server refuses', async () => {
    await create('refused', [{ ...map('ok'), metadata: { namespace: 'default', name: 'Not A Name' } }]);
    await poll(() => ready('refused')).toMatch(/^Install failed with message: .*Not A Name/);
  });

  it('gives workloads the proxy of the operator, and waits for them', async () => {
    const labels = { app: 'web' };
    await create('web', [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'default', name: 'web-controller' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    ]);
    await poll(() => ready('web')).toBe('Controller: web-controller deployment not ready');
    const deployment = await client.get(kinds.Deployment, { namespace: 'default', name: 'web-controller' });
    expect(deployment.spec?.template.spec?.containers?.[0]?.env).toEqual([
      { name: 'HTTPS_PROXY', value: 'http://proxy' },
    ]);
    const conditions = [{ type: 'Available', status: 'True', reason: 'A', message: '' }];
    await client.updateStatus(kinds.Deployment, { ...deployment, status: { conditions } } as never);
    await poll(() => ready('web')).toBe('True');
  });

  it('recreates a Deployment that cannot create its Pods, and reports it', async () => {
    const key = { namespace: 'default', name: 'web-controller' };
    const deployment = await client.get(kinds.Deployment, key);
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no' }];
    await client.updateStatus(kinds.Deployment, { ...deployment, status: { conditions } } as never);
    const uid = async () => (await client.get(kinds.Deployment, key).catch(() => deployment)).metadata.uid;
    await poll(uid).not.toBe(deployment.metadata.uid);
    const reasons = async () => (await client.list(kinds.Event)).items.map(({ reason }) => reason);
    await poll(reasons).toContain('DeploymentRemoved');
  });
});
