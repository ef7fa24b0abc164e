import { type Client, kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { findCondition } from '@tektite/meta';
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
