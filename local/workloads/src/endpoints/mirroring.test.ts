import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'database' };
const service = { metadata: key, spec: { ports: [{ name: 'sql', port: 5432 }] } };
const endpoints = {
  metadata: { ...key, labels: { team: 'a' }, annotations: { note: 'b' } },
  subsets: [
    {
      addresses: [{ ip: '10.9.0.1' }],
      notReadyAddresses: [{ ip: '10.9.0.2' }],
      ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
    },
  ],
};

const slices = async ({ client }: TestCluster) =>
  (await client.list(kinds.EndpointSlice, { labelSelector: 'kubernetes.io/service-name=database' })).items;

describe('Endpoints that a user manages', () => {
  it('are mirrored in a slice, and followed', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Service, service);
    await client.create(kinds.Endpoints, endpoints);
    await cluster.settle();
    const [slice, ...others] = await slices(cluster);
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'database-',
        labels: {
          team: 'a',
          'kubernetes.io/service-name': 'database',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        },
        annotations: { note: 'b' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name: 'database', controller: true }],
      },
      addressType: 'IPv4',
      ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
      endpoints: [
        { addresses: ['10.9.0.1'], conditions: { ready: true } },
        { addresses: ['10.9.0.2'], conditions: { ready: false } },
      ],
    });
    const subsets = [{ addresses: [{ ip: '10.9.0.3' }, { ip: 'fd00::1' }], ports: [{ name: 'sql', port: 5433 }] }];
    await client.patch(kinds.Endpoints, key, mergePatch({ subsets }));
    await cluster.settle();
    const changed = await slices(cluster);
    expect(changed.map(({ addressType, ports }) => `${addressType} ${ports?.[0]?.port}`).sort()).toEqual([
      'IPv4 5433',
      'IPv6 5433',
    ]);
    await client.delete(kinds.Endpoints, key);
    await cluster.settle();
    expect(await slices(cluster)).toEqual([]);
  });

  it('are not mirrored without a Service, for one that selects Pods, and where they opt out', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Endpoints, endpoints);
    await cluster.settle();
    expect(await slices(cluster)).toEqual([]);
    await client.create(kinds.Service, service);
    await cluster.settle();
    expect(await slices(cluster)).toHaveLength(1);
    const label = 'endpointslice.kubernetes.io/skip-mirror';
    await client.patch(kinds.Endpoints, key, mergePatch({ metadata: { labels: { [label]: 'true' } } }));
    await cluster.settle();
    expect(await slices(cluster)).toEqual([]);
  });
});
