import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { parseYaml } from '@tektite/schema/yaml';
import { type HttpsEndpoint, type RealControlPlane, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Memcached } from './index.ts';

const tektite = new URL('../../../apps/cli/bin/tektite.js', import.meta.url).pathname;
const systems = ['--systems', new URL('..', import.meta.url).pathname];
const key = { namespace: 'default', name: 'web' };
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 });

let plane: RealControlPlane;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tektite-'));
  plane = await startRealControlPlane();
});
afterAll(async () => {
  await plane?.close();
  await rm(folder, { recursive: true, force: true });
});

it('tektite controller runs it with what tektite crds and rbac print, and no more rights', async () => {
  const { client } = plane;
  for (const command of ['crds', 'rbac']) {
    const { stdout } = spawnSync(process.execPath, [tektite, command, ...systems], { encoding: 'utf8' });
    for (const { value } of parseYaml(stdout)) await client.apply(value as never, { force: true });
  }
  const kubeconfig = await writeAccount(await plane.https(), 'system:serviceaccount:default:tektite-controller');
  const port = await freePort();
  const webhooks = ['--webhook-port', String(port), '--webhook-url', `https://127.0.0.1:${port}`];
  const args = [...systems, '--kubeconfig', kubeconfig, '--no-install', '--status-address', '127.0.0.1:0', ...webhooks];
  const child = spawn(process.execPath, [tektite, 'controller', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await eventually(() => log).toContain('"msg":"running"');
    const create = (spec: object) => client.create(Memcached, { metadata: key, spec: spec as Memcached['spec'] });
    await expect(create({ image: 'memcached:latest' })).rejects.toThrow('spec.image');
    expect((await create({ size: 2 })).spec).toEqual({ size: 2, port: 11211, image: 'memcached:1.6' });
    const replicas = async () => (await client.get(kinds.Deployment, key).catch(() => undefined))?.spec?.replicas;
    await eventually(replicas).toBe(2);
    await eventually(async () => (await client.get(Memcached, key)).status).toBeDefined();
    await client.delete(Memcached, key);
    await eventually(async () => (await client.list(Memcached)).items.length).toBe(0);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(log).not.toMatch(/forbidden|"level":"(warn|error)"/);
  } finally {
    child.kill('SIGKILL');
  }
});

/** A kubeconfig for this user, with a certificate in the place of a token. */
async function writeAccount(endpoint: HttpsEndpoint, name: string): Promise<string> {
  const { server, credentials } = await endpoint.configFor({ name, groups: ['system:serviceaccounts'] });
  const { certificate = '', key: secret = '' } = (await credentials?.current())?.clientCertificate ?? {};
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server, 'certificate-authority-data': encode(endpoint.authority.certificate) };
  const user = { 'client-certificate-data': encode(certificate), 'client-key-data': encode(secret) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster }],
    users: [{ name: 'account', user }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'account' } }],
    'current-context': 'real',
  };
  const file = join(folder, 'kubeconfig');
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
