import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { parseYaml } from '@tektite/schema/yaml';
import { type HttpsEndpoint, startRealControlPlane } from '@tektite/testkit';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { memcached, Scratch } from './test-support.ts';

const Memcached = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' };
const key = { namespace: 'default', name: 'web' };

it('the command runs an operator on a real kube-apiserver, with what it prints and no more rights', async () => {
  using scratch = new Scratch();
  await using plane = await startRealControlPlane();
  const { client } = plane;
  for (const command of ['crds', 'rbac'])
    for (const { value } of parseYaml(scratch.tektite([command, '--systems', memcached]).out))
      await client.apply(value as never, { force: true });
  const kubeconfig = join(scratch.path, 'kubeconfig');
  await writeAccount(kubeconfig, await plane.https(), 'system:serviceaccount:default:tektite-controller');
  const port = await freePort();
  const webhooks = ['--webhook-port', String(port), '--webhook-url', `https://127.0.0.1:${port}`];
  const args = ['--kubeconfig', kubeconfig, '--no-install', '--status-address', '127.0.0.1:0', ...webhooks];
  const status = /"status":"(http[^"]+)"/;
  await using running = await scratch.start(['controller', '--systems', memcached, ...args], status);
  const [, url = ''] = await running.said(status);
  const ready = async () => (await request(`${url}/readyz`)).body.text();
  await expect.poll(ready, { timeout: 20_000 }).toBe('ok');

  const create = (spec: object) => client.create(Memcached, { metadata: key, spec } as never);
  await expect(create({ image: 'memcached:latest' })).rejects.toThrow('spec.image');
  expect((await create({ size: 2 }))['spec']).toEqual({ size: 2, port: 11211, image: 'memcached:1.6' });
  const replicas = async () => (await client.get(kinds.Deployment, key).catch(() => undefined))?.spec?.replicas;
  await expect.poll(replicas, { timeout: 20_000 }).toBe(2);
  await expect.poll(async () => (await client.get(Memcached, key))['status'], { timeout: 10_000 }).toBeDefined();
  await client.delete(Memcached, key);
  await expect.poll(async () => (await client.list(Memcached)).items.length, { timeout: 10_000 }).toBe(0);
  const { code, milliseconds } = await running.stop();
  expect(code).toBe(0);
  expect(milliseconds).toBeLessThan(5000);
  expect(running.output).not.toMatch(/forbidden|"level":"(warn|error)"/);
});

async function writeAccount(file: string, endpoint: HttpsEndpoint, name: string): Promise<void> {
  const { server, credentials } = await endpoint.configFor({ name, groups: ['system:serviceaccounts'] });
  const { certificate = '', key: secret = '' } = (await credentials?.current())?.clientCertificate ?? {};
  await writeKubeconfig(file, { server, authority: endpoint.authority.certificate, certificate, key: secret });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
