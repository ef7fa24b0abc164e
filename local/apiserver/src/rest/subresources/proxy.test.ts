import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../request/api-response.ts';
import { TestServer } from '../../test-support.ts';

const namespace = '/api/v1/namespaces/default';
/** The proxy does not reach loopback addresses of Pods; a machine without any other skips those cases. */
const machine = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

let server: TestServer;
let program: Server;
let port: number;
let received: { method: string; url: string; authorization: string | undefined; body: string }[];

beforeEach(async () => {
  server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
  received = [];
  program = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization,
        body,
      });
      response.writeHead(418, { 'content-type': 'text/tea', 'x-kind': 'green' });
      response.end('tea');
    });
  });
  await new Promise<void>((resolve) => {
    program.listen(0, '0.0.0.0', resolve);
  });
  ({ port } = program.address() as AddressInfo);
});

afterEach(async () => {
  program.closeAllConnections();
  program.close();
  await server[Symbol.asyncDispose]();
});

async function textOf(answer: ApiResponse): Promise<string> {
  if (answer.type === 'object') return JSON.stringify(answer.object);
  if (answer.type !== 'stream') throw new Error(answer.type);
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function createPod(podIP: string): Promise<void> {
  const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: port }] }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
  await server.ok('POST', `${namespace}/pods`, pod);
  const headers = { 'content-type': 'application/merge-patch+json' };
  const status = JSON.stringify({ status: { podIP, podIPs: [{ ip: podIP }] } });
  await server.ok('PATCH', `${namespace}/pods/p/status`, status, { headers });
}

describe('the proxy of Pods', () => {
  it.skipIf(!machine)('passes requests on to the program, and its answers back', async () => {
    await createPod(machine ?? '');
    const headers = { authorization: 'Bearer secret', 'content-type': 'text/plain' };
    const answer = await server.handle('POST', `${namespace}/pods/p/proxy/a/b?c=d`, 'hello', { headers });
    expect({ code: answer.code, text: await textOf(answer) }).toEqual({ code: 418, text: 'tea' });
    expect(answer.headers).toMatchObject({ 'x-kind': 'green' });
    expect(received).toEqual([{ method: 'POST', url: '/a/b?c=d', authorization: undefined, body: 'hello' }]);
    await server.handle('OPTIONS', `${namespace}/pods/p/proxy?c=d`);
    expect(received.pop()).toMatchObject({ method: 'OPTIONS', url: '/?c=d' });
    const named = await server.handle('GET', `${namespace}/pods/http:p:${port}/proxy/`);
    expect(await textOf(named)).toBe('tea');
    expect(received[1]?.url).toBe('/');
  });

  it('does not reach addresses of the machine itself', async () => {
    await createPod('127.0.0.1');
    const answer = await server.send('GET', `${namespace}/pods/p/proxy/`);
    expect(answer).toMatchObject({ code: 400, object: { message: 'address not allowed' } });
    expect(received).toEqual([]);
  });

  it('redirects to a folder, refuses nonsense, and finds nothing where there is none', async () => {
    await createPod('10.255.255.1');
    const redirect = await server.handle('GET', `${namespace}/pods/p/proxy?a=b`);
    expect(redirect).toMatchObject({ code: 301, headers: { location: `${namespace}/pods/p/proxy/?a=b` } });
    expect((await server.send('GET', `${namespace}/pods/ftp:p:1/proxy/`)).code).toBe(400);
    expect((await server.send('GET', `${namespace}/pods/none/proxy/`)).code).toBe(404);
  });
});

describe('the proxy of Services', () => {
  it('reaches an endpoint, by the number or the name of a port', async () => {
    await server.ok('POST', `${namespace}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const none = await server.send('GET', `${namespace}/services/web:http/proxy/`);
    expect(none).toMatchObject({ code: 503, object: { message: 'no endpoints available for service "web"' } });
    await server.server.storage.write('/registry/endpointslices/default/web', 0, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'web', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      ports: [{ name: 'http', port }],
    } as KubeObject);
    for (const name of ['web:80', 'web:http', 'http:web:http']) {
      const answer = await server.handle('GET', `${namespace}/services/${name}/proxy/x/proxy`);
      expect(await textOf(answer)).toBe('tea');
    }
    expect(received.map(({ url }) => url)).toEqual(['/x/proxy', '/x/proxy', '/x/proxy']);
  });
});

it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('never answers %s with the object itself', async (method) => {
  const metadata = { name: `own-${method.toLowerCase()}` };
  const spec = { ports: [{ name: 'http', port: 80 }] };
  await server.ok('POST', `${namespace}/services`, { apiVersion: 'v1', kind: 'Service', metadata, spec });
  await server.ok('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  for (const place of [`${namespace}/services/${metadata.name}`, `/api/v1/nodes/${metadata.name}`])
    for (const path of ['', '/', '/pods', '/?watch=true'])
      expect(await server.send(method, `${place}/proxy${path}`)).toMatchObject({
        code: 503,
        object: { kind: 'Status' },
      });
});

it('does not follow the external name of a Service', async () => {
  await server.ok('POST', `${namespace}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'away' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  });
  const answer = await server.send('GET', `${namespace}/services/away:${port}/proxy/`);
  expect(answer).toMatchObject({ code: 503, object: { message: 'no endpoints available for service "away"' } });
  expect(received).toEqual([]);
});

it('does not follow endpoints that are names', async () => {
  const metadata = { name: 'named', labels: { 'kubernetes.io/service-name': 'named' } };
  const ports = [{ name: 'http', port, protocol: 'TCP' }];
  await server.ok('POST', `${namespace}/services`, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } });
  await server.server.storage.write('/registry/endpointslices/default/named', 0, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, namespace: 'default' },
    addressType: 'FQDN',
    endpoints: [{ addresses: ['localhost'], conditions: { ready: true } }],
    ports,
  } as KubeObject);
  const answer = await server.send('GET', `${namespace}/services/named:http/proxy/`);
  expect(answer).toMatchObject({ code: 503, object: { message: 'no endpoints available for service "named"' } });
  expect(received).toEqual([]);
});

describe('the proxy of nodes', () => {
  it('never answers with the node', async () => {
    await server.ok('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    for (const path of ['', '/', '/pods'])
      expect(await server.send('GET', `/api/v1/nodes/n/proxy${path}`)).toMatchObject({
        code: 503,
        object: { kind: 'Status', reason: 'ServiceUnavailable' },
      });
    expect((await server.send('GET', '/api/v1/nodes/none/proxy/')).code).toBe(404);
  });
});
