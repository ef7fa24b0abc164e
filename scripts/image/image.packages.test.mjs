import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client, httpTransport, kinds, loadConfig } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { version } from '../release/make-release.mjs';
import { debianPackages } from './fetch-parts.mjs';
import { node } from './pins.mjs';
import { smokeResult, smokeTest } from './smoke-test.mjs';

const images = join(inject('release'), 'first/images');
const archive = (name) => join(images, `${name}-${version}.oci.tar`);
const folder = mkdtempSync(join(tmpdir(), 'tektite-image-test-'));
const bin = join(import.meta.dirname, '../../apps/cli/bin/tektite.js');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 120_000, ...options });

/** The layout of an archive: its index, and what content is in it. */
function openLayout(name, to = name) {
  const target = join(folder, to);
  mkdirSync(target);
  run('tar', ['-xf', archive(name), '-C', target]);
  const blob = (digest) => readFileSync(join(target, 'blobs', ...digest.split(':')));
  const json = (digest) => JSON.parse(blob(digest).toString('utf8'));
  const [{ digest }] = JSON.parse(readFileSync(join(target, 'index.json'), 'utf8')).manifests;
  return { index: json(digest), json, blob };
}

describe.each([
  ['tektite', 160e6, 60e6],
  ['entrypoint', 3e6, 1e6],
  ['shell', 3e6, 2e6],
])('the image %s', (name, maxUnpacked, maxCompressed) => {
  let layout;
  beforeAll(() => void (layout = openLayout(name)));
  const manifests = () => layout.index.manifests.filter(({ artifactType }) => !artifactType);

  it('is for amd64 and arm64', () => {
    expect(manifests().map(({ platform }) => platform)).toEqual([
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64' },
    ]);
  });

  it('is small', () => {
    for (const { digest } of manifests()) {
      const { layers } = layout.json(digest);
      expect(layers.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(maxCompressed);
      const unpacked = layers.map((layer) => gunzipSync(layout.blob(layer.digest)).length);
      expect(unpacked.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxUnpacked);
    }
  });

  it('runs as a user without rights, and says what it is', () => {
    for (const { digest } of manifests()) {
      const { config } = layout.json(layout.json(digest).config.digest);
      expect(config.User).toBe('65532:65532');
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$|^unknown$/),
      });
    }
  });

  it('has a bill of materials for each architecture, attached to its image', () => {
    const bills = layout.index.manifests.filter(
      ({ artifactType }) => artifactType === 'application/vnd.cyclonedx+json',
    );
    expect(bills.map(({ digest }) => layout.json(digest).subject.digest)).toEqual(
      manifests().map(({ digest }) => digest),
    );
    const { bomFormat, components } = layout.json(layout.json(bills[0].digest).layers[0].digest);
    const versions = Object.fromEntries(components.map(({ name: each, version: found }) => [each, found]));
    expect(bomFormat).toBe('CycloneDX');
    if (name === 'tektite')
      expect(versions).toMatchObject({
        node: node.version,
        libc6: debianPackages.get('libc6', 'x64').version,
        undici: expect.any(String),
      });
    else expect(Object.keys(versions)).toEqual(name === 'shell' ? ['busybox-static'] : []);
  });
});

it.skipIf(process.arch === 'arm64')('the image for arm64 has the libraries that its programs load', () => {
  const { index, json } = openLayout('tektite', 'arm64');
  const { digest } = index.manifests.find(({ platform }) => platform.architecture === 'arm64');
  const root = join(folder, 'arm64-root');
  mkdirSync(root);
  for (const layer of json(digest).layers)
    run('tar', ['-xzf', join(folder, 'arm64/blobs', ...layer.digest.split(':')), '-C', root]);
  const program = [join(root, 'usr/local/bin/node'), '--jitless', join(root, 'opt/tektite/bin/tektite.js'), 'version'];
  const { status, stdout } = run('qemu-aarch64-static', ['-L', root, ...program], { env: { HOME: folder } });
  expect([status, stdout]).toEqual([0, expect.stringContaining(`node     v${node.version} linux/arm64`)]);
});

/** The definitions of the checkout. */
const definitionsHere = () =>
  run(process.execPath, [bin, 'crds', '--systems', 'all']).stdout.split('kind: CustomResourceDefinition').length - 1;

describe('a container of the image', () => {
  it('passes the smoke test under podman', () => {
    expect(run('podman', ['load', '-i', archive('tektite')])).toMatchObject({ status: 0 });
    const name = `tektite.dev/tektite:${version}`;
    // Where this machine may not grant what podman asks for by default.
    const limits = ['--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096'];
    const confined = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'];
    const args = ['run', '--rm', '--network=none', ...limits, ...confined, '--entrypoint=node', name, '-e', smokeTest];
    const { stdout, stderr } = run('podman', args);
    run('podman', ['rmi', '--force', name]);
    expect([parsed(stdout), stderr]).toEqual([smokeResult(version, node.version, definitionsHere()), '']);
  });

  it('passes it as a Pod of `tektite up`', async () => {
    const env = { ...process.env, HOME: folder, TEKTITE_OFFLINE: '1' };
    for (const name of ['tektite', 'entrypoint'])
      expect(run(process.execPath, [bin, 'image', 'load', archive(name)], { env })).toMatchObject({ status: 0 });
    const data = join(folder, 'data');
    const up = spawn(process.execPath, [bin, 'up', '--data-dir', data, '--port', '0', '--runtime', 'images'], { env });
    let output = '';
    up.stdout.on('data', (chunk) => (output += chunk));
    up.stderr.on('data', (chunk) => (output += chunk));
    let client;
    try {
      await expect.poll(() => output, { timeout: 60_000 }).toContain('Ctrl-C');
      const config = await loadConfig({ kubeconfig: join(data, 'kubeconfig') });
      client = new Client(httpTransport(config));
      const key = { namespace: 'default', name: 'smoke' };
      await expect
        .poll(() => client.create(kinds.Pod, smokePod(key)).catch(String), { timeout: 30_000 })
        .toMatchObject({ kind: 'Pod' });
      const phase = async () => (await client.get(kinds.Pod, key)).status?.phase;
      await expect.poll(phase, { timeout: 60_000 }).toBe('Succeeded');
      expect(parsed(await logOf(config, key))).toEqual(smokeResult(version, node.version, definitionsHere()));
    } finally {
      await client?.close();
      up.kill('SIGINT');
      await once(up, 'exit');
    }
  });
});

/** Through the API, as kubectl logs reads it. */
async function logOf(config, { namespace, name }) {
  const transport = httpTransport(config);
  try {
    const { body } = await transport.request({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/log`,
    });
    // The log is one line of JSON, which a transport may have parsed.
    return typeof body === 'string' ? body : JSON.stringify(body);
  } finally {
    await transport.close();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function smokePod(key) {
  const container = {
    name: 'smoke',
    image: `tektite.dev/tektite:${version}`,
    command: ['/usr/local/bin/node', '-e', smokeTest],
    securityContext: {
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
  return {
    metadata: key,
    spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [container] },
  };
}
