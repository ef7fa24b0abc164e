import { gzipSync } from 'node:zlib';
import { kinds } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResolverBench, taskText } from '../test-support.ts';
import { entryContent } from './bundle-entry.ts';
import { bundleResolverCases } from './bundle-resolver.cases.ts';
import { mayBePlain, parseImageReference } from '@tektite/oci';
import { Pusher, SmallRegistry, tarLayer } from './test-support.ts';

let bench: ResolverBench;
let registry: SmallRegistry;
const host = () => registry.origin.replace('http://', '');

beforeAll(async () => {
  [bench, registry] = await Promise.all([ResolverBench.start(), SmallRegistry.start()]);
  await bench.configure('bundleresolver-config', { 'backoff-steps': '1' });
});
afterAll(async () => {
  registry.stop();
  await bench.stop();
});

describe('the bundle resolver', () => {
  bundleResolverCases({ bench: () => bench, pusher: () => new Pusher(registry.origin), host });

  it('logs in with the pull secrets of a service account', async () => {
    const layer = { kind: 'task', name: 'remote', content: tarLayer('x', taskText) };
    await new Pusher(registry.origin, { authorization: 'Bearer good' }).push('private/bundle', 'v1', [layer]);
    const params = { bundle: `${host()}/private/bundle:v1`, name: 'remote' };
    const { message } = await bench.ask('bundles', params);
    expect(message).toContain('cannot retrieve the oci image: GET ');
    expect(message).toContain('unexpected status code 401');
    const auths = { [registry.origin]: { auth: Buffer.from('me:pass').toString('base64') } };
    const config = { '.dockerconfigjson': JSON.stringify({ auths }) };
    await bench.createSecret('pull', config, 'kubernetes.io/dockerconfigjson');
    const metadata = { namespace: bench.namespace, name: 'puller' };
    await bench.plane.client.create(kinds.ServiceAccount, { metadata, imagePullSecrets: [{ name: 'pull' }] });
    expect((await bench.ask('bundles', { ...params, serviceAccount: 'puller' })).text).toBe(taskText);
    expect((await bench.ask('bundles', { ...params, secret: 'pull' })).text).toBe(taskText);
  });

  it.each([
    [{}, 'parameter "bundle" required'],
    [{ bundle: 'x/y' }, 'parameter "name" required'],
    [{ bundle: 'x/Y:z', name: 'n' }, 'invalid bundle reference: could not parse reference: x/Y:z'],
    [{ bundle: 'host:1/a/../b', name: 'n' }, 'invalid bundle reference: could not parse reference: host:1/a/../b'],
  ])('refuses %j', async (params, message) => {
    const answer = await bench.ask('bundles', params);
    expect(answer.message).toBe(`invalid resource request "default/REQUEST": ${message}`);
  });
});

it.each([
  ['busybox', 'index.docker.io', 'library/busybox', 'latest'],
  ['me/tasks:1.0', 'index.docker.io', 'me/tasks', '1.0'],
  ['docker.io/me/tasks', 'index.docker.io', 'me/tasks', 'latest'],
  ['localhost:5000/tasks', 'localhost:5000', 'tasks', 'latest'],
  [`ghcr.io/a/b:v1@sha256:${'0'.repeat(64)}`, 'ghcr.io', 'a/b', `sha256:${'0'.repeat(64)}`],
])('%s is an image', (text, registryName, repository, reference) => {
  expect(parseImageReference(text)).toMatchObject({ registry: registryName, repository, reference });
});

it('only registries close by are asked without encryption', () => {
  const close = [
    'localhost:5000',
    '127.0.0.1:1',
    '10.1.2.3',
    '172.20.0.1:5000',
    '192.168.1.1',
    'x.local',
    '[::1]:5000',
  ];
  expect(close.filter((name) => !mayBePlain(name))).toEqual([]);
  expect(['ghcr.io', '8.8.8.8', '172.32.0.1', 'local.example.com', '10.1.2'].filter(mayBePlain)).toEqual([]);
});

it('a layer that would fill the memory is refused', () => {
  expect(() => entryContent(gzipSync(Buffer.alloc(64 * 1024 * 1024)))).toThrow(/larger than/);
});
