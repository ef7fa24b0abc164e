import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { type Client, httpTransport, kinds, mergePatch } from '@tektite/client';
import { isStatusError, systemClock } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCluster, startCluster } from './start-cluster.ts';

const address = '10.9.9.9';
const namespace = 'default';

interface Asked {
  readonly url: string;
  readonly user: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/**
 * Stands in for the kubelet of another machine, which Debian does not have: TLS with client certificates, the paths of its API, and an
 * upgrade that echoes. It runs nothing.
 */
class StandInKubelet {
  readonly asked: Asked[] = [];
  private readonly server: Server;

  constructor(authority: KeyPair, own: KeyPair) {
    const tls = { key: own.key, cert: own.certificate, ca: authority.certificate };
    this.server = createServer({ ...tls, requestCert: true }, (request, response) => {
      this.record(request.url, request.socket, request.headers);
      if (request.url?.startsWith('/containerLogs/default/web/main')) response.end('a line\n');
      else if (request.url === '/healthz') response.end('ok');
      else response.writeHead(404).end('container not found');
    });
    this.server.on('upgrade', (request, socket: Socket) => {
      this.record(request.url, socket, request.headers);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.pipe(socket);
    });
  }

  private record(url = '', socket: unknown, headers: object): void {
    const user = (socket as TLSSocket).getPeerCertificate().subject?.CN ?? '';
    this.asked.push({ url, user: String(user), headers: { ...headers } });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('a node of another machine', () => {
  let cluster: RunningCluster;
  let client: Client;
  let kubelet: StandInKubelet;
  let impostor: StandInKubelet;
  const ports = new Map<string, number>();
  /** The network of the test: addresses of nodes lead to the stand-ins. */
  const dial = async (host: string): Promise<Socket> => {
    const socket = connect(ports.get(host) ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  beforeAll(async () => {
    cluster = await startCluster({ https: { host: '127.0.0.1', port: 0 }, server: { dial }, controllers: false });
    client = cluster.client;
    const { authority } = (await cluster.https()).certificates;
    const stranger = await createAuthority('stranger', systemClock);
    const certificateOf = (signer: KeyPair, host: string) =>
      issueCertificate(signer, { commonName: 'system:node:far', hosts: [host] }, systemClock);
    kubelet = new StandInKubelet(authority, await certificateOf(authority, address));
    impostor = new StandInKubelet(authority, await certificateOf(stranger, '10.9.9.8'));
    ports.set(address, await kubelet.listen());
    ports.set('10.9.9.8', await impostor.listen());
    await createNode('far', address);
    await createNode('forged', '10.9.9.8');
    await createNode('inward', '127.0.0.1');
    for (const [name, nodeName] of Object.entries({ web: 'far', fake: 'forged', loop: 'inward' }))
      await client.create(kinds.Pod, {
        metadata: { namespace, name },
        spec: { nodeName, containers: [{ name: 'main', image: 'web' }] },
      });
  });
  afterAll(async () => {
    await cluster.close();
    kubelet.close();
    impostor.close();
  });

  async function createNode(name: string, ip: string): Promise<void> {
    await client.create(kinds.Node, { metadata: { name } });
    const addresses = [{ type: 'InternalIP', address: ip }];
    const daemonEndpoints = { kubeletEndpoint: { Port: 10250 } };
    await client.patchStatus(kinds.Node, { name }, mergePatch({ status: { addresses, daemonEndpoints } }));
  }
  async function logOf(name: string): Promise<string> {
    let text = '';
    for await (const chunk of await client.log({ namespace, name })) text += Buffer.from(chunk).toString();
    return text;
  }
  const errorOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('gives the logs of its Pods to the API server, which shows its own certificate', async () => {
    expect(await logOf('web')).toBe('a line\n');
    expect(kubelet.asked.at(-1)).toMatchObject({
      url: '/containerLogs/default/web/main',
      user: 'kube-apiserver-kubelet-client',
    });
  });

  it('is proxied, without the credentials of the client', async () => {
    const config = await (await cluster.https()).configFor({ name: 'root', groups: ['system:masters'] });
    await using other = cluster.clientFor(httpTransport(config));
    const { body } = await other.request({ method: 'GET', path: '/api/v1/nodes/far/proxy/healthz' });
    expect(body).toBe('ok');
    expect(kubelet.asked.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it('gets the connections of sessions as they are, in both directions', async () => {
    const { host, port, certificates } = await cluster.https();
    const admin = await issueCertificate(
      certificates.authority,
      { commonName: 'root', organizations: ['system:masters'] },
      systemClock,
    );
    const { connect: connectTls } = await import('node:tls');
    const socket = connectTls({
      host,
      port,
      ca: certificates.bundle,
      cert: admin.certificate,
      key: admin.key,
      ALPNProtocols: ['http/1.1'],
    });
    await once(socket, 'secureConnect');
    socket.write(
      [
        'POST /api/v1/namespaces/default/pods/web/exec?command=ls&command=-l&stdout=true&container=main HTTP/1.1',
        `host: ${host}:${port}`,
        'connection: Upgrade',
        'upgrade: SPDY/3.1',
        'x-stream-protocol-version: v5.channel.k8s.io',
        'x-stream-protocol-version: v4.channel.k8s.io',
        'cookie: secret=1',
        '\r\n',
      ].join('\r\n'),
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n.*upgrade: SPDY\/3\.1/is);
    socket.write('ping');
    await expect.poll(() => text).toMatch(/\r\n\r\nping$/);
    const asked = kubelet.asked.at(-1);
    expect(asked?.url).toBe('/exec/default/web/main?output=1&command=ls&command=-l');
    expect(asked?.headers).not.toHaveProperty('cookie');
    expect(asked?.headers['x-stream-protocol-version']).toBe('v5.channel.k8s.io, v4.channel.k8s.io');
    const closed = once(socket, 'close');
    socket.end();
    await closed;
  });

  it('that shows the certificate of a stranger is not believed', async () => {
    const error = await errorOf(logOf('fake'));
    expect(String(error)).toMatch(/error dialing backend: node "forged": /);
    expect(impostor.asked).toEqual([]);
  });

  it('that names an address of this machine is refused', async () => {
    const error = await errorOf(logOf('loop'));
    expect(isStatusError(error) && error.message).toMatch(/address not allowed/);
  });

  it('passes on why its kubelet denies a log', async () => {
    await client.create(kinds.Pod, {
      metadata: { namespace, name: 'other' },
      spec: { nodeName: 'far', containers: [{ name: 'main', image: 'web' }] },
    });
    expect(String(await errorOf(logOf('other')))).toMatch(/container not found/);
  });
});
