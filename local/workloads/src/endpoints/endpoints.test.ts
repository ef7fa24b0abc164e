import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { template, testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'web' };
const service = { metadata: key, spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] } };

function pod(name: string, port = 8080) {
  const { metadata, spec } = template('web');
  const containers = spec.containers.map((container) => ({
    ...container,
    ports: [{ name: 'http', containerPort: port }],
  }));
  return { metadata: { ...metadata, namespace: 'default', name }, spec: { containers } };
}

const slices = async ({ client }: TestCluster) =>
  (await client.list(kinds.EndpointSlice, { labelSelector: 'kubernetes.io/service-name=web' })).items;

describe('the endpoints of a Service', () => {
  it('are its Pods, ready or not, with their own ports', async () => {
    await using cluster = await testCluster({ script: ({ metadata }) => ({ ready: metadata.name !== 'b' }) });
    const { client } = cluster;
    await client.create(kinds.Service, service);
    await client.create(kinds.Pod, pod('a'));
    await client.create(kinds.Pod, pod('b'));
    await cluster.settle();
    const [slice, ...others] = await slices(cluster);
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      addressType: 'IPv4',
      metadata: {
        labels: {
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'kubernetes.io/service-name': 'web',
        },
      },
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'node-1',
          targetRef: { name: 'a' },
        },
        { conditions: { ready: false, serving: false, terminating: false }, targetRef: { name: 'b' } },
      ],
    });
    const endpoints = await client.get(kinds.Endpoints, key);
    expect(endpoints.subsets).toMatchObject([
      {
        addresses: [{ targetRef: { name: 'a' } }],
        notReadyAddresses: [{ targetRef: { name: 'b' } }],
        ports: [{ port: 8080 }],
      },
    ]);
  });

  it('follow Pods that go and Services that are deleted', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Service, service);
    await client.create(kinds.Pod, pod('a', 8080));
    await client.create(kinds.Pod, pod('b', 9090));
    await cluster.settle();
    const ports = async () => (await slices(cluster)).map((slice) => slice.ports?.map(({ port }) => port));
    expect(await ports()).toEqual(expect.arrayContaining([[8080], [9090]]));
    await client.delete(kinds.Pod, { namespace: 'default', name: 'b' });
    await cluster.settle();
    expect(await ports()).toEqual([[8080]]);
    await client.delete(kinds.Service, key);
    await cluster.settle();
    expect(await slices(cluster)).toEqual([]);
    const names = (await client.list(kinds.Endpoints, { namespace: 'default' })).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(names).not.toContain('web');
  });

  it('are split when there are many', async () => {
    await using cluster = await testCluster({ nodes: ['n1', 'n2'] });
    const { client } = cluster;
    await client.create(kinds.Service, service);
    for (let i = 0; i < 130; i++) await client.create(kinds.Pod, pod(`p${i}`));
    await cluster.settle();
    const sizes = (await slices(cluster)).map(({ endpoints }) => endpoints?.length ?? 0);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([30, 100]);
  });
});
