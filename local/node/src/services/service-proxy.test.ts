import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { kinds } from '@tektite/client';
import type { EndpointSlice } from '@tektite/schema/kubernetes';
import { freePorts, startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { ServiceProxy } from './service-proxy.ts';

/** Connects to an address, and returns the answer; empty when the connection is refused. */
async function ask(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  socket.on('error', () => undefined);
  socket.write('ping');
  return text(socket).catch(() => '');
}

/** Endpoints may not be of the loopback network; this is where else this machine can be reached. */
const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

it.runIf(own !== undefined)(
  'lets a Service be reached at its address as long as it is there and has Pods',
  async () => {
    const pod = createServer(
      (socket) => void socket.once('data', (chunk: Buffer) => socket.end(`got ${chunk.toString()}`)),
    );
    pod.listen(0, own);
    await once(pod, 'listening');
    const { port: podPort } = pod.address() as { port: number };
    const [port = 0] = await freePorts(1);
    await using plane = await startControlPlane({ serviceRange: '127.97.0.0/24' });
    const errors: string[] = [];
    await using _ = await new ServiceProxy({
      client: plane.client,
      onError: (error) => errors.push(error.message),
    }).start();
    const service = await plane.client.create(kinds.Service, {
      metadata: { namespace: 'default', name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port, protocol: 'TCP', targetPort: podPort }] },
    });
    const address = service.spec?.clusterIP ?? '';
    expect(address).toMatch(/^127\.97\.0\.\d+$/);
    expect(await ask(address, port)).toBe('');
    const slice = (ready: boolean) =>
      ({
        metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: podPort, protocol: 'TCP' }],
        endpoints: [{ addresses: [own], conditions: { ready } }],
      }) as unknown as EndpointSlice;
    await plane.client.create(kinds.EndpointSlice, slice(false));
    expect(await ask(address, port)).toBe('');
    const made = await plane.client.get(kinds.EndpointSlice, { namespace: 'default', name: 'web-1' });
    await plane.client.update(kinds.EndpointSlice, { ...slice(true), metadata: made.metadata });
    await expect.poll(() => ask(address, port)).toBe('got ping');
    await plane.client.delete(kinds.Service, { namespace: 'default', name: 'web' });
    await expect.poll(() => ask(address, port)).toBe('');
    pod.close();
    // Also by an ordinary user, who may not listen on port 443 of the API's own Service.
    expect(errors).toEqual([]);
  },
);

it.runIf(own !== undefined)('leaves its port to a Pod that listens there on all addresses', async () => {
  await using plane = await startControlPlane({ serviceRange: '127.98.0.0/24' });
  const errors: string[] = [];
  await using _ = await new ServiceProxy({
    client: plane.client,
    onError: ({ message }) => errors.push(message),
  }).start();
  const [port = 0] = await freePorts(1);
  const service = await plane.client.create(kinds.Service, {
    metadata: { namespace: 'default', name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port, protocol: 'TCP', targetPort: port }] },
  });
  // Ready before the program listens, as a Pod without probes is.
  await plane.client.create(kinds.EndpointSlice, {
    metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [own], conditions: { ready: true } }],
  } as unknown as EndpointSlice);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const pod = createServer((socket) => void socket.once('data', () => socket.end('the Pod')));
  pod.listen(port, '0.0.0.0');
  await once(pod, 'listening');
  await expect.poll(() => ask(service.spec?.clusterIP ?? '', port)).toBe('the Pod');
  pod.close();
  expect(errors).toEqual([]);
});
