import { createAuthority } from '@tektite/certificates';
import { kinds, mergePatch } from '@tektite/client';
import { isStatusError, systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';

const key = { name: 'team' };

describe('a namespace', () => {
  it('has a service account and the certificate of the API server, also when a client removes or changes them', async () => {
    const rootCertificate = (await createAuthority('test', systemClock)).certificate;
    await using cluster = await testCluster({ rootCertificate });
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: key });
    await cluster.settle();
    const certificate = { namespace: 'team', name: 'kube-root-ca.crt' };
    await client.delete(kinds.ServiceAccount, { namespace: 'team', name: 'default' });
    await client.patch(kinds.ConfigMap, certificate, mergePatch({ data: { 'ca.crt': 'forged' } }));
    await cluster.settle();
    await client.get(kinds.ServiceAccount, { namespace: 'team', name: 'default' });
    expect((await client.get(kinds.ConfigMap, certificate)).data).toEqual({ 'ca.crt': rootCertificate });
  });

  it('is deleted with its content', async () => {
    await using cluster = await testCluster({ rootCertificate: 'PEM' });
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: key });
    const metadata = { namespace: 'team', name: 'web' };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web') };
    await client.create(kinds.Deployment, { metadata, spec });
    await client.create(kinds.Secret, { metadata });
    await cluster.settle();
    await client.delete(kinds.Namespace, key);
    await cluster.settle(60_000);
    await expect(client.get(kinds.Namespace, key)).rejects.toSatisfy((error) => isStatusError(error, 'NotFound'));
    expect((await client.list(kinds.Pod)).items).toEqual([]);
  });

  it('reports the content that it waits for', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: key });
    for (const name of ['a', 'b'])
      await client.create(kinds.ConfigMap, { metadata: { namespace: 'team', name, finalizers: ['example.com/hold'] } });
    await client.delete(kinds.Namespace, key);
    await cluster.settle(10_000);
    const { status } = await client.get(kinds.Namespace, key);
    expect(status?.phase).toBe('Terminating');
    expect(
      status?.conditions?.map(({ type, status: state, reason, message }) => [type, state, reason, message]),
    ).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 2 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
      ],
    ]);
    for (const name of ['a', 'b'])
      await client.patch(kinds.ConfigMap, { namespace: 'team', name }, mergePatch({ metadata: { finalizers: null } }));
    await cluster.settle(20_000);
    expect((await client.list(kinds.Namespace)).items.map(({ metadata }) => metadata.name)).not.toContain('team');
  });
});
