import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { RevisionStore } from '@tektite/apiserver';
import { kinds, mergePatch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { PodNetwork } from '@tektite/node';
import type { Pod, PodSpec } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServerAuthority, issueServerCertificate } from './server-keys.ts';
import { type RunningCluster, startCluster } from './start-cluster.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const namespace = 'default';
/** Whether this machine lets Pods have a network. */
const can = await PodNetwork.open({ directory: '/nowhere/network-probe' }).then(
  async (network) => (await network[Symbol.asyncDispose](), true),
  () => false,
);

describe.runIf(can)('Pods with a network of their own', () => {
  let cluster: RunningCluster;
  const notices: string[] = [];
  beforeAll(async () => {
    const node = { runtime: 'host', network: 'pods', name: 'here' } as const;
    cluster = await startCluster({ node, onNotice: (text) => notices.push(text) });
  });
  afterAll(() => cluster.close());

  const create = (name: string, spec: PodSpec, metadata: Pod['metadata'] = {}) =>
    cluster.client.create(kinds.Pod, {
      metadata: { namespace, name, ...metadata },
      spec: { restartPolicy: 'Never', ...spec },
    });
  const until = async (name: string, condition: (pod: Pod) => boolean): Promise<Pod> => {
    let pod: Pod | undefined;
    const read = async () => {
      pod = await cluster.client.get(kinds.Pod, { namespace, name });
      return condition(pod);
    };
    await expect.poll(read, { timeout: 20_000 }).toBe(true);
    return pod as Pod;
  };
  const shell = (script: string, more: object = {}) => ({
    name: 'main',
    image: 'shell',
    command: ['sh', '-c', script],
    ...more,
  });
  /** Runs a script in a Pod to its end, and returns its output. */
  async function run(name: string, script: string, spec: object = {}): Promise<string> {
    await create(name, { containers: [shell(script)], ...spec });
    const pod = await until(name, ({ status }) => /Succeeded|Failed/.test(status?.phase ?? ''));
    let text = '';
    for await (const chunk of await cluster.client.log({ namespace, name }, {})) text += Buffer.from(chunk).toString();
    return pod.status?.phase === 'Succeeded' ? text : `failed: ${text}`;
  }
  /** A Pod with an HTTP server that answers with its name and who asks. */
  async function serve(name: string, port: number, hostPort = 0, more: object = {}): Promise<string> {
    const script = `require('http').createServer((q, s) => s.end(process.env.HOSTNAME + ' ' + q.socket.remoteAddress.replace('::ffff:', ''))).listen(${port})`;
    const readinessProbe = { httpGet: { port }, periodSeconds: 1, failureThreshold: 1 };
    const container = {
      ...shell(''),
      command: [process.execPath, '-e', script],
      readinessProbe,
      ports: [{ name: 'web', containerPort: port, ...(hostPort ? { hostPort } : {}) }],
    };
    await create(
      name,
      { containers: [container], terminationGracePeriodSeconds: 0, ...more },
      { labels: { app: 'web' } },
    );
    const pod = await until(
      name,
      ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    );
    return pod.status?.podIP ?? '';
  }
  const get = (url: string) =>
    `${process.execPath} -e "require('http').get('${url}', (a) => a.pipe(process.stdout)).on('error', (e) => { console.log(e.code); process.exit(1) })"`;

  test('listen on one port, are probed, and reach each other, Services and names', async () => {
    const addresses = [await serve('web-1', 80), await serve('web-2', 80, 0, { hostname: 'two', subdomain: 'pets' })];
    expect(new Set(addresses).size).toBe(2);
    for (const address of addresses) expect(address).toMatch(/^10\.244\.\d+\.\d+$/);
    expect(await run('direct', get(`http://${addresses[0]}`))).toMatch(/^web-1 10\.244\./);
    const port = { name: 'http', port: 8080, targetPort: 'web', protocol: 'TCP' } as const;
    const service = await cluster.client.create(kinds.Service, {
      metadata: { namespace, name: 'web' },
      spec: { selector: { app: 'web' }, ports: [port] },
    });
    await cluster.client.create(kinds.Service, {
      metadata: { namespace, name: 'pets' },
      spec: { clusterIP: 'None', selector: { app: 'web' }, ports: [{ ...port, port: 80 }] },
    });
    expect(service.spec?.clusterIP).toMatch(/^10\.96\./);
    await expect
      .poll(
        async () =>
          (await cluster.client.list(kinds.EndpointSlice, { namespace })).items.flatMap(
            ({ endpoints }) => endpoints ?? [],
          ).length,
        { timeout: 10_000 },
      )
      .toBeGreaterThanOrEqual(4);
    expect(await run('by-address', get(`http://${service.spec?.clusterIP}:8080`))).toMatch(
      /^(?:web-1|two) 10\.244\.0\.1$/,
    );
    for (const name of ['web', 'web.default', 'web.default.svc.cluster.local'])
      expect(await run(`by-name-${name.split('.').length}`, get(`http://${name}:8080`))).toMatch(/^(?:web-1|two) /);
    expect(await run('pet', get('http://two.pets'))).toMatch(/^two 10\.244\./);
    const headless = await run(
      'headless',
      `${process.execPath} -e "require('dns').resolve4('pets.default.svc.cluster.local', (e, a) => console.log(a.sort().join()))"`,
    );
    expect(headless.trim().split(',').sort()).toEqual([...addresses].sort());
    const srv = `require('dns').resolveSrv('_http._tcp.web.default.svc.cluster.local', (e, a) => console.log(a[0].name, a[0].port))`;
    expect(await run('srv', `${process.execPath} -e "${srv}"`)).toBe('web.default.svc.cluster.local 8080\n');
    expect(await run('none', get('http://none.default.svc.cluster.local'))).toBe('failed: ENOTFOUND\n');
    expect(await run('refused', get(`http://${service.spec?.clusterIP}:81`))).toBe('failed: ECONNREFUSED\n');
  });

  test('have their address in status, variables and hosts', async () => {
    const env = [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
    ];
    const text = await run('facts', 'echo $POD $HOST; cat /etc/hosts; cat /etc/resolv.conf', {
      containers: [shell('echo $POD $HOST; cat /etc/hosts; cat /etc/resolv.conf', { env })],
    });
    const { status } = await cluster.client.get(kinds.Pod, { namespace, name: 'facts' });
    expect(status?.podIP).not.toBe(status?.hostIP);
    expect(text).toContain(
      `${status?.podIP} ${status?.hostIP}\n# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n`,
    );
    expect(text).toContain(`\n${status?.podIP}\tfacts\n`);
    expect(text).toContain('nameserver 10.96.0.10\nsearch default.svc.cluster.local svc.cluster.local cluster.local');
    expect(text).toContain('options ndots:5\n');
  });

  test.each([false, true])(
    'reach the API with their token and its authority, with hostNetwork %s',
    async (hostNetwork) => {
      const script = `const fs = require('fs'), d = '/var/run/secrets/kubernetes.io/serviceaccount/';
      const { KUBERNETES_SERVICE_HOST: h, KUBERNETES_SERVICE_PORT: p } = process.env;
      const get = (host) => new Promise((done) => require('https').get({ host, port: p, path: '/api/v1/namespaces/default/pods/x', ca: fs.readFileSync(d + 'ca.crt'), headers: { authorization: 'Bearer ' + fs.readFileSync(d + 'token') } },
        (a) => { let t = ''; a.on('data', (c) => t += c); a.on('end', () => done(JSON.parse(t).message)); }).on('error', (e) => done(String(e))));
      (async () => { for (const host of ${hostNetwork ? '[h]' : "[h, 'kubernetes.default', 'kubernetes.default.svc.cluster.local']"}) console.log(await get(host)); })()`;
      const name = `api-${hostNetwork}`;
      await create(name, { hostNetwork, containers: [{ ...shell(''), command: [process.execPath, '-e', script] }] });
      await until(name, ({ status }) => /Succeeded|Failed/.test(status?.phase ?? ''));
      let text = '';
      for await (const chunk of await cluster.client.log({ namespace, name }, {}))
        text += Buffer.from(chunk).toString();
      const denied =
        'pods "x" is forbidden: User "system:serviceaccount:default:default" cannot get resource "pods" in API group "" in the namespace "default"\n';
      expect(text).toBe(denied.repeat(hostNetwork ? 1 : 3));
    },
  );

  test('are proxied by the API server, and served on node ports and host ports', async () => {
    const hostPort = await freePort();
    await serve('exposed', 8081, hostPort);
    expect(await ask(hostPort)).toBe('exposed 10.244.0.1');
    const { client } = cluster;
    const proxied = await cluster.transport().request({
      method: 'GET',
      path: '/api/v1/namespaces/default/pods/exposed/proxy/',
    });
    expect(proxied).toMatchObject({ status: 200, body: 'exposed 10.244.0.1' });
    const service = await cluster.client.create(kinds.Service, {
      metadata: { namespace, name: 'exposed' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'web', protocol: 'TCP' }] },
    });
    const nodePort = service.spec?.ports?.[0]?.nodePort ?? 0;
    await expect.poll(() => ask(nodePort), { timeout: 10_000 }).toMatch(/10\.244\.0\.1$/);
    // Another program has the port.
    const container = shell('true', { ports: [{ containerPort: 1, hostPort: nodePort }] });
    await create('conflict', { containers: [container] });
    const events = async () =>
      (await client.list(kinds.Event, { namespace, fieldSelector: 'involvedObject.name=conflict' })).items;
    await expect
      .poll(async () => (await events()).map(({ reason, message }) => `${reason} ${message}`))
      .toContainEqual(
        expect.stringContaining(
          'FailedCreatePodSandBox Failed to create pod sandbox: cannot use a port of the machine: listen EADDRINUSE',
        ),
      );
    await client.delete(kinds.Pod, { namespace, name: 'exposed' });
    await expect.poll(() => ask(hostPort), { timeout: 10_000 }).toBe('');
  });

  test('are webhooks behind a Service, whose certificates are verified', async () => {
    const authority = await createServerAuthority(systemClock);
    const { certificate, key } = await issueServerCertificate(authority, ['hook.default.svc'], systemClock);
    const script = `require('https').createServer({ cert: process.env.CERT, key: process.env.KEY }, (q, s) => {
      let t = ''; q.on('data', (c) => t += c); q.on('end', () => { const { uid, object } = JSON.parse(t).request;
        const status = { message: 'the hook says no to ' + object.metadata.name };
        s.setHeader('content-type', 'application/json');
        s.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: false, status } })); });
    }).listen(9443)`;
    const env = [
      { name: 'CERT', value: certificate },
      { name: 'KEY', value: key },
    ];
    const container = {
      ...shell('', { env }),
      command: [process.execPath, '-e', script],
      readinessProbe: { tcpSocket: { port: 9443 }, periodSeconds: 1 },
    };
    await create('hook', { containers: [container], terminationGracePeriodSeconds: 0 }, { labels: { app: 'hook' } });
    const ports = [{ port: 443, targetPort: 9443, protocol: 'TCP' } as const];
    await cluster.client.create(kinds.Service, {
      metadata: { namespace, name: 'hook' },
      spec: { selector: { app: 'hook' }, ports },
    });
    await cluster.client.create(kinds.ValidatingWebhookConfiguration, {
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          clientConfig: {
            service: { namespace, name: 'hook' },
            caBundle: Buffer.from(authority.certificate).toString('base64'),
          },
        },
      ],
    });
    const denied = () =>
      cluster.client.create(kinds.ConfigMap, { metadata: { namespace, name: 'x' } }).then(
        () => '',
        ({ message }: Error) => message,
      );
    await expect.poll(denied, { timeout: 20_000 }).toContain('the hook says no to x');
    await cluster.client.delete(kinds.ValidatingWebhookConfiguration, { name: 'hook' });
  });

  test('are reached by UDP, and stay with one endpoint where the Service says so', async () => {
    const echo = `const s = require('dgram').createSocket('udp4'); s.bind(5353); s.on('message', (m, f) => s.send(process.env.HOSTNAME + ' ' + m, f.port, f.address))`;
    const hostPort = await freePort();
    for (const name of ['echo-1', 'echo-2']) {
      const onMachine = name === 'echo-1' ? { hostPort } : {};
      const ports = [{ containerPort: 5353, protocol: 'UDP', ...onMachine }];
      const container = { ...shell('', { ports }), command: [process.execPath, '-e', echo] };
      await create(name, { containers: [container], terminationGracePeriodSeconds: 0 }, { labels: { app: 'echo' } });
    }
    const service = await cluster.client.create(kinds.Service, {
      metadata: { namespace, name: 'echo' },
      spec: {
        type: 'NodePort',
        selector: { app: 'echo' },
        sessionAffinity: 'ClientIP',
        ports: [{ port: 53, targetPort: 5353, protocol: 'UDP' }],
      },
    });
    const ready = async () =>
      (
        await cluster.client.list(kinds.EndpointSlice, { namespace, labelSelector: 'kubernetes.io/service-name=echo' })
      ).items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready).length;
    await expect.poll(ready, { timeout: 20_000 }).toBe(2);
    // Datagrams that come before a program listens are lost.
    const ask = `const ask = () => { const s = require('dgram').createSocket('udp4'); s.send('ping', 53, 'echo'); return new Promise((done) => { s.on('message', (m) => { s.close(); done(String(m)); }); setTimeout(() => { try { s.close(); } catch {} done(''); }, 500); }); };
      (async () => { const all = []; while (all.length < 8) { const a = await ask(); if (a) all.push(a); } console.log([...new Set(all)].join()); })()`;
    await create('asks', { containers: [{ ...shell(''), command: [process.execPath, '-e', ask] }] });
    await until('asks', ({ status }) => /Succeeded|Failed/.test(status?.phase ?? ''));
    let text = '';
    for await (const chunk of await cluster.client.log({ namespace, name: 'asks' }, {}))
      text += Buffer.from(chunk).toString();
    expect(text).toMatch(/^echo-[12] ping\n$/);
    const nodePort = service.spec?.ports?.[0]?.nodePort ?? 0;
    expect(await askDatagram(nodePort)).toMatch(/^echo-[12] ping$/);
    expect(await askDatagram(hostPort)).toBe('echo-1 ping');
    // Ports of a Service that changes are given up before they are taken again.
    for (const sessionAffinity of ['None', 'ClientIP', 'None'])
      await cluster.client.patch(kinds.Service, { namespace, name: 'echo' }, mergePatch({ spec: { sessionAffinity } }));
    await expect.poll(() => askDatagram(nodePort).catch(() => ''), { timeout: 10_000 }).toMatch(/^echo-[12] ping$/);
  });

  test('with hostNetwork have the address of the machine', async () => {
    await run('machine', 'true', { hostNetwork: true });
    const { status } = await cluster.client.get(kinds.Pod, { namespace, name: 'machine' });
    expect(status?.podIP).toBe(status?.hostIP);
    expect(notices.filter((text) => !text.startsWith('the image'))).toEqual([]);
  });
});

/** The answer to a datagram to a port of the machine. */
async function askDatagram(port: number): Promise<string> {
  const socket = createSocket('udp4');
  const answer = once(socket, 'message', { signal: AbortSignal.timeout(5000) });
  socket.send('ping', port, '127.0.0.1');
  const [message] = await answer.finally(() => socket.close());
  return String(message);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks a port of this machine. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const call = request({ port, host: '127.0.0.1', agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve(text));
    });
    call.on('error', () => resolve(''));
    call.end();
  });
}

test.runIf(can)('Services and Pods of a data folder move to the addresses of the network that is used', async () => {
  const { path: folder, remove } = await makeTemporaryFolder();
  // A storage ends with its server; what it had is given to the next one.
  let storage = new RevisionStore();
  const open = async (network: 'pods' | 'host') =>
    startCluster({ storage, folder, controllers: false, node: { runtime: 'host', network, name: 'here' } });
  const addresses = async ({ client }: RunningCluster) =>
    (await client.list(kinds.Service)).items.map(({ metadata, spec }) => `${metadata.name} ${spec?.clusterIP}`).sort();
  const create = ({ client }: RunningCluster, name: string, spec: object) =>
    client.create(kinds.Service, {
      metadata: { namespace, name },
      spec: { ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    });
  const podIPs = async ({ client }: RunningCluster) =>
    (await client.get(kinds.Pod, { namespace, name: 'stays' })).status?.podIPs?.map(({ ip }) =>
      ip?.replace(/\d+$/, 'x'),
    );
  let before: string[];
  {
    await using cluster = await open('host');
    await create(cluster, 'web', {});
    await create(cluster, 'headless', { clusterIP: 'None' });
    const containers = [{ name: 'c', image: 'shell', command: ['sleep', '1000'] }];
    const pod = { nodeName: 'here', restartPolicy: 'Always', terminationGracePeriodSeconds: 0, containers };
    await cluster.client.create(kinds.Pod, { metadata: { namespace, name: 'stays' }, spec: pod });
    await expect.poll(() => podIPs(cluster), { timeout: 20_000 }).toHaveLength(1);
    before = await addresses(cluster);
    expect(before[1]).toMatch(/^kubernetes 127\./);
    storage = copyOf(cluster);
  }
  // Twice: what is there already is left as it is.
  for (let round = 0; round < 2; round++) {
    await using cluster = await open('pods');
    const now = await addresses(cluster);
    expect(now).toEqual([
      'headless None',
      'kube-dns 10.96.0.10',
      'kubernetes 10.96.0.1',
      expect.stringMatching(/^web 10\.96\./),
    ]);
    await expect.poll(() => podIPs(cluster), { timeout: 20_000 }).toEqual(['10.244.0.x']);
    storage = copyOf(cluster);
  }
  await using cluster = await open('host');
  expect((await addresses(cluster)).filter((each) => !each.startsWith('kube-dns'))).toEqual(before);
  const notInNetwork = async () => (await podIPs(cluster))?.filter((ip) => !ip?.startsWith('10.244.')).length;
  await expect.poll(notInNetwork, { timeout: 20_000 }).toBe(1);
  await remove();
});

function copyOf({ server }: RunningCluster): RevisionStore {
  const copy = new RevisionStore();
  for (const { key, value } of server.storage.list('/registry/').entries)
    void copy.write(key, 0, structuredClone(value));
  return copy;
}
