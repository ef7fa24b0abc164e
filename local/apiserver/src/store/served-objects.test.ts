import { expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const address = { host: '127.0.0.1', port: 6443, clientCa: 'PEM' };

it('describes the served cluster by the objects that a real server makes', async () => {
  await using server = await TestServer.start();
  await server.server.announce(address);
  const names = async (path: string) => (await server.ok('GET', path)).items?.map(({ metadata }) => metadata.name);
  const services = await names('/apis/apiregistration.k8s.io/v1/apiservices');
  expect(services).toEqual(
    expect.arrayContaining(['v1.', 'v1.apps', 'v1.rbac.authorization.k8s.io', 'v2.autoscaling']),
  );
  expect(services).not.toContain('v1.apiregistration.k8s.io');
  const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
  expect(await names(`${flowControl}/prioritylevelconfigurations`)).toHaveLength(8);
  expect(await names(`${flowControl}/flowschemas`)).toHaveLength(13);
  const range = await server.ok('GET', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
  expect(range).toMatchObject({
    spec: { cidrs: ['10.0.0.0/24'] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const trust = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  expect(await server.ok('GET', trust)).toMatchObject({
    data: {
      'client-ca-file': 'PEM',
      'requestheader-client-ca-file': expect.stringContaining('BEGIN CERTIFICATE') as string,
    },
  });
  const slice = await server.ok('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
  expect(slice).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443 }],
  });
});

it('follows the address of the server, and leaves alone what users changed', async () => {
  await using server = await TestServer.start();
  await server.server.announce(address);
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/service-accounts';
  const headers = { 'content-type': 'application/merge-patch+json' };
  await server.ok('PATCH', path, JSON.stringify({ spec: { matchingPrecedence: 8000 } }), { headers });
  await server.server.announce({ ...address, host: '10.1.2.3', port: 7443 });
  expect((await server.ok('GET', path)).spec).toMatchObject({ matchingPrecedence: 8000 });
  const endpoints = await server.ok('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
  expect(endpoints['subsets']).toEqual([
    { addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] },
  ]);
  const { revision } = server.server.storage;
  await server.server.announce({ ...address, host: '10.1.2.3', port: 7443 });
  expect(server.server.storage.revision).toBe(revision);
});
