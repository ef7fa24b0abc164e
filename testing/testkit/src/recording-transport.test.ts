import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { startControlPlane } from './control-plane.ts';
import { recordingTransport } from './recording-transport.ts';

describe('a recording transport', () => {
  it('remembers each sort of access once, in the words of RBAC', async () => {
    await using plane = await startControlPlane();
    const recorded = recordingTransport(plane.transport());
    const client = plane.clientFor(recorded);
    const namespace = 'default';
    await client.list(kinds.Pod);
    await client.list(kinds.Pod, { namespace });
    (await client.watch(kinds.Pod)).close();
    await client.create(kinds.ConfigMap, { metadata: { namespace, name: 'a' } });
    await client.patch(kinds.ConfigMap, { namespace, name: 'a' }, mergePatch({ data: { b: '1' } }));
    await client.apply(kinds.Secret, { metadata: { namespace, name: 'a' } });
    await client.delete(kinds.ConfigMap, { namespace, name: 'a' });
    await client.deleteCollection(kinds.ConfigMap, { namespace });
    await client.getScale(kinds.Deployment, { namespace, name: 'none' }).catch(() => undefined);
    await client.get(kinds.Namespace, { name: namespace });
    await client.updateStatus(kinds.Namespace, await client.get(kinds.Namespace, { name: namespace }));
    await client.request({ method: 'GET', path: '/version' });
    await client.request({ method: 'GET', path: '/apis/apps/v1' });
    expect(recorded.accesses).toEqual([
      { verb: 'list', group: '', resource: 'pods', subresource: '' },
      { verb: 'watch', group: '', resource: 'pods', subresource: '' },
      { verb: 'create', group: '', resource: 'configmaps', subresource: '' },
      { verb: 'patch', group: '', resource: 'configmaps', subresource: '' },
      { verb: 'patch', group: '', resource: 'secrets', subresource: '' },
      { verb: 'create', group: '', resource: 'secrets', subresource: '' },
      { verb: 'delete', group: '', resource: 'configmaps', subresource: '' },
      { verb: 'deletecollection', group: '', resource: 'configmaps', subresource: '' },
      { verb: 'get', group: 'apps', resource: 'deployments', subresource: 'scale' },
      { verb: 'get', group: '', resource: 'namespaces', subresource: '' },
      { verb: 'update', group: '', resource: 'namespaces', subresource: 'status' },
    ]);
  });

  it('says what a role lacks and what it allows for nothing', async () => {
    await using plane = await startControlPlane();
    const recorded = recordingTransport(plane.transport());
    const client = plane.clientFor(recorded);
    await client.list(kinds.Pod);
    await client.getScale(kinds.Deployment, { namespace: 'default', name: 'none' }).catch(() => undefined);
    const pods = { apiGroups: [''], resources: ['pods'] };
    expect(recorded.compare([{ ...pods, verbs: ['list', 'watch'] }])).toEqual({
      missing: ['get apps/deployments/scale'],
      unused: ['watch pods'],
    });
    const scale = { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] };
    expect(recorded.compare([{ ...pods, verbs: ['list'] }, scale])).toEqual({ missing: [], unused: [] });
  });
});
