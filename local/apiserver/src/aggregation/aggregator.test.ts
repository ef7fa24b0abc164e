import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { type KubeObject, systemClock } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../request/api-response.ts';
import { TestServer } from '../test-support.ts';

const group = '/apis/wardle.example.com/v1alpha1';
const patience = { timeout: 15_000 };

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly client: string;
}

let server: TestServer;
let extension: Server;
let received: Received[];
let caBundle: string;

/** A server of flunders that asks for the front-proxy certificate, and answers any of its paths. */
beforeEach(async () => {
  server = await TestServer.start();
  await server.server.announce({ host: '127.0.0.1', port: 6443, clientCa: 'PEM' });
  const trust = await server.ok('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  const authority = await createAuthority('extension', systemClock);
  caBundle = Buffer.from(authority.certificate).toString('base64');
  const { key, certificate } = await issueCertificate(
    authority,
    { commonName: 'extension', hosts: ['api.wardle.svc'] },
    systemClock,
  );
  received = [];
  extension = createServer(
    {
      key,
      cert: certificate,
      ca: trust.data?.['requestheader-client-ca-file'] ?? '',
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      const { method = '', url = '', headers, socket } = request;
      const { subject } = (socket as import('node:tls').TLSSocket).getPeerCertificate();
      received.push({ method, url, headers, client: String(subject.CN) });
      response.setHeader('content-type', 'application/json');
      if (url === group) {
        const resource = { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder' };
        const resources = [{ ...resource, verbs: ['get', 'list'], shortNames: ['fl'] }];
        response.end(
          JSON.stringify({ kind: 'APIResourceList', groupVersion: 'wardle.example.com/v1alpha1', resources }),
        );
      } else
        response.end(JSON.stringify({ kind: 'FlunderList', apiVersion: 'wardle.example.com/v1alpha1', items: [] }));
    },
  );
  await new Promise<void>((resolve) => {
    extension.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  extension.closeAllConnections();
  extension.close();
  await server[Symbol.asyncDispose]();
});

async function register(more: object = {}): Promise<void> {
  await server.ok('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'wardle' },
  });
  await server.ok('POST', '/api/v1/namespaces/wardle/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'api' },
    spec: { ports: [{ port: 443 }] },
  });
  // Clients may not name the loopback as an endpoint, so this one goes straight into the storage.
  await server.server.storage.write('/registry/endpointslices/wardle/api', 0, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'api', namespace: 'wardle', labels: { 'kubernetes.io/service-name': 'api' } },
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: '', port: (extension.address() as AddressInfo).port }],
  } as KubeObject);
  await server.ok('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1alpha1.wardle.example.com' },
    spec: {
      group: 'wardle.example.com',
      version: 'v1alpha1',
      groupPriorityMinimum: 2000,
      versionPriority: 200,
      service: { namespace: 'wardle', name: 'api' },
      caBundle,
      ...more,
    },
  });
}

const condition = async () => {
  const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.wardle.example.com';
  const { status } = await server.ok('GET', path);
  return (status?.['conditions'] as { status: string; reason: string }[] | undefined)?.[0];
};

async function textOf(answer: ApiResponse): Promise<string> {
  if (answer.type === 'text') return answer.text;
  if (answer.type === 'object') return JSON.stringify(answer.object);
  if (answer.type !== 'stream') throw new Error(answer.type);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('an aggregated API server', () => {
  it('is available once its discovery answers, and part of this server’s discovery', async () => {
    await register();
    await expect.poll(condition, patience).toMatchObject({ status: 'True', reason: 'Passed' });
    const groups = (await server.ok('GET', '/apis'))['groups'] as { name: string; preferredVersion: object }[];
    expect(groups.at(-1)).toMatchObject({
      name: 'wardle.example.com',
      preferredVersion: { groupVersion: 'wardle.example.com/v1alpha1' },
    });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await server.ok('GET', '/apis', undefined, { headers: { accept } });
    expect(aggregated.items?.at(-1)).toMatchObject({
      metadata: { name: 'wardle.example.com' },
      versions: [
        { version: 'v1alpha1', resources: [{ resource: 'flunders', scope: 'Namespaced', shortNames: ['fl'] }] },
      ],
    });
  });

  it('gets requests with the user that was authenticated, and no other', async () => {
    await register();
    await expect.poll(condition, patience).toMatchObject({ status: 'True' });
    const headers = { 'x-remote-user': 'root', authorization: 'Bearer secret', accept: 'application/json' };
    const answer = await server.handle('GET', `${group}/namespaces/default/flunders?limit=5`, undefined, { headers });
    expect(answer.code).toBe(200);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ kind: 'FlunderList' });
    const last = received.at(-1);
    expect(last).toMatchObject({
      url: `${group}/namespaces/default/flunders?limit=5`,
      client: 'front-proxy-client',
      headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters, system:authenticated' },
    });
    expect(last?.headers).not.toHaveProperty('authorization');
  });

  it('is not asked what a user may not do', async () => {
    await register();
    await expect.poll(condition, patience).toMatchObject({ status: 'True' });
    const before = received.length;
    const user = { name: 'eve', groups: ['system:authenticated'] };
    const answer = await server.handle('GET', `${group}/namespaces/default/flunders`, undefined, { user });
    expect(answer.code).toBe(403);
    expect(received.length).toBe(before);
  });

  it('whose certificate is not trusted is not available', async () => {
    const other = await createAuthority('other', systemClock);
    await register({ caBundle: Buffer.from(other.certificate).toString('base64') });
    await expect.poll(condition, patience).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' });
    const answer = await server.handle('GET', `${group}/namespaces/default/flunders`);
    expect(answer.code).toBe(503);
    expect(await textOf(answer)).toBe('service unavailable\n');
    expect(received).toEqual([]);
  });

  it('is no part of this server any more when its APIService is deleted', async () => {
    await register();
    await expect.poll(condition, patience).toMatchObject({ status: 'True' });
    await server.ok('DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.wardle.example.com');
    const answer = await server.handle('GET', `${group}/namespaces/default/flunders`);
    expect(answer.code).toBe(404);
  });
});
