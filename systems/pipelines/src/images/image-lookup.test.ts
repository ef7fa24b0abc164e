import { createHash } from 'node:crypto';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { webFetch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { startControlPlane, type ControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registryCertConfig } from '../config/registry-cert-config.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { Step } from '../kinds/task-spec.ts';
import { commandKey, type ImageCommands } from '../pod/image-commands.ts';
import { SmallRegistry } from '../resolution/bundles/test-support.ts';
import { ImageLookup } from './image-lookup.ts';

let registry: SmallRegistry;
let plane: ControlPlane;
const digestOf = (body: string) => `sha256:${createHash('sha256').update(body).digest('hex')}`;

beforeAll(async () => {
  [registry, plane] = await Promise.all([SmallRegistry.start(), startControlPlane()]);
});
afterAll(async () => {
  registry.stop();
  await plane.close();
});

const put = (path: string, body: string) => fetch(`${registry.origin}/v2/${path}`, { method: 'PUT', body });

/** An image that starts this, for a platform; its digest. */
async function push(name: string, tag: string, config: object): Promise<string> {
  const text = JSON.stringify({ os: 'linux', architecture: 'amd64', config });
  await put(`${name}/blobs/1?digest=${digestOf(text)}`, text);
  const manifest = JSON.stringify({ config: { digest: digestOf(text) }, layers: [] });
  await put(`${name}/manifests/${tag}`, manifest);
  return digestOf(manifest);
}

async function pushIndex(name: string, manifests: object[]): Promise<string> {
  const index = JSON.stringify({ manifests });
  await put(`${name}/manifests/latest`, index);
  return digestOf(index);
}

const run = { metadata: { namespace: 'default', name: 'tr' }, spec: {} } as TaskRun;
const place = () => ({ client: plane.client, signal: new AbortController().signal });
const imageOf = (name: string) => `${registry.origin.replace('http://', '')}/${name}`;

async function lookUp(step: Step, lookup = new ImageLookup()): Promise<ImageCommands | undefined> {
  return (await lookup.lookUp({ steps: [step] }, run, place())).get(commandKey(step));
}

describe('what an image starts', () => {
  it.each([
    ['its entrypoint and arguments', { Entrypoint: ['/a'], Cmd: ['b'] }, [], ['/a', 'b']],
    ['its entrypoint alone, where the step has arguments', { Entrypoint: ['/a'], Cmd: ['b'] }, ['x'], ['/a']],
    ['its command, where it has no entrypoint', { Cmd: ['/c', 'd'] }, [], ['/c', 'd']],
  ])('is %s', async (_title, config, args, command) => {
    const digest = await push('tools/one', 'v1', config);
    expect(await lookUp({ image: imageOf('tools/one:v1'), args })).toEqual({
      image: imageOf(`tools/one@${digest}`),
      commands: { 'linux/amd64': command },
    });
  });

  it('is known for each platform, and asked once for a digest', async () => {
    const one = await push('tools/many', 'one', { Entrypoint: ['/one'] });
    const two = await push('tools/many', 'two', { Entrypoint: ['/two'] });
    const proof = { digest: one, platform: { os: 'unknown', architecture: 'unknown' } };
    const index = await pushIndex('tools/many', [
      { digest: one, platform: { os: 'linux', architecture: 'amd64' } },
      { digest: two, platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } },
      proof,
    ]);
    const lookup = new ImageLookup();
    const step = { image: imageOf(`tools/many@${index}`) };
    const found = await lookUp(step, lookup);
    expect(found?.commands).toEqual({ 'linux/amd64': ['/one'], 'linux/arm64/v8': ['/two'] });
    const { requests } = registry;
    expect(await lookUp(step, lookup)).toBe(found);
    expect(registry.requests).toBe(requests);
  });

  it('has to be one thing for a platform', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((tag) => push('tools/odd', tag, { Cmd: [tag] })));
    const platform = { os: 'linux', architecture: 'amd64' };
    await pushIndex(
      'tools/odd',
      [one, two].map((digest) => ({ digest, platform })),
    );
    await expect(lookUp({ image: imageOf('tools/odd') })).rejects.toThrow(
      `duplicate unique image found for platform: linux/amd64: found ${one} and ${two}`,
    );
  });

  it('is not asked for steps that say what they run', async () => {
    const { requests } = registry;
    const steps = [
      { image: imageOf('a'), command: ['x'] },
      { image: imageOf('a'), script: 'x' },
    ];
    expect((await new ImageLookup().lookUp({ steps }, run, place())).size).toBe(0);
    const stepTemplate = { command: ['x'] };
    expect((await new ImageLookup().lookUp({ steps: [{ image: 'a' }], stepTemplate }, run, place())).size).toBe(0);
    expect(registry.requests).toBe(requests);
  });

  it('cannot be known without a registry', async () => {
    const gone = await SmallRegistry.start();
    gone.stop();
    const host = gone.origin.replace('http://', '');
    await expect(lookUp({ image: `${host}/tools/none` })).rejects.toThrow(
      `Get "http://${host}/v2/": dial tcp ${host}: connect: connection refused`,
    );
  });
});

describe('a registry with a certificate of its own authority', () => {
  it('is asked once config-registry-cert names that authority', async () => {
    const authority = await createAuthority('an authority', systemClock);
    const request = { commonName: 'registry', hosts: ['127.0.0.1'] };
    const secure = await SmallRegistry.start(await issueCertificate(authority, request, systemClock));
    try {
      const cert = `-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n${authority.certificate}`;
      const { authorities } = registryCertConfig.parse({ cert });
      const upload = (path: string, body: string) =>
        webFetch(`${secure.origin}/v2/${path}`, { method: 'PUT', body }, { authorities });
      const config = JSON.stringify({ os: 'linux', architecture: 'amd64', config: { Entrypoint: ['/a'] } });
      await upload(`tools/a/blobs/1?digest=${digestOf(config)}`, config);
      await upload('tools/a/manifests/v1', JSON.stringify({ config: { digest: digestOf(config) }, layers: [] }));
      const step = { image: `${secure.origin.replace('https://', '')}/tools/a:v1` };
      let trusted = '';
      const lookup = new ImageLookup(undefined, undefined, () => trusted);
      await expect(lookUp(step, lookup)).rejects.toThrow();
      trusted = authorities;
      expect((await lookUp(step, lookup))?.commands).toEqual({ 'linux/amd64': ['/a'] });
    } finally {
      secure.stop();
    }
  });
});
