import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ByoMachine } from '../kinds/byo-machine.ts';
import { eventually, namespace, TestWorld } from '../test-support.ts';
import { overlayProblem } from './sandbox/overlay-sandbox.ts';
import { differences, makeBundle, SandboxHost } from './sandbox/test-support.ts';
import { type RunningAgent, startAgent } from './start-agent.ts';

const problem = await overlayProblem();
if (problem !== undefined) process.stderr.write(`agents in sandboxes were not run: ${problem}\n`);

/** A cloud-config of kubeadm: a file, and a command that leaves a sentinel. Hostile names are in it on purpose. */
const cloudConfig = `## template: jinja
#cloud-config
write_files:
- path: "/etc/byoh-test/it's a $(touch oops) file"
  owner: root:root
  permissions: '0640'
  content: |
    interface: {{ .DefaultNetworkInterfaceName }}
- path: /etc/hostname
  content: replaced
- path: /etc/byoh-test/packed
  encoding: gzip+base64
  content: H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA=
runcmd:
- kubeadm join 10.0.0.9:6443 && echo success > /run/cluster-api/bootstrap-success.complete
`;

const installerRef = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', kind: 'K8sInstallerConfigTemplate' };

let work: string;
let bundle: string;
let registry: Server;
let repo: string;
let pristine: SandboxHost;

/** Serves a bundle as an image with one layer, by the distribution API. */
function serveImage(folder: string, tags: readonly string[]): Server {
  const layer = execFileSync('tar', ['-czf', '-', '-C', folder, '.'], { maxBuffer: 1 << 28 });
  const digestOf = (data: Buffer) => `sha256:${createHash('sha256').update(data).digest('hex')}`;
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { digest: digestOf(Buffer.from('{}')), size: 2 },
      layers: [{ digest: digestOf(layer), size: layer.length }],
    }),
  );
  return createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/v2/') response.end('{}');
    else if (tags.some((tag) => url.endsWith(`/manifests/${tag}`)))
      response.setHeader('content-type', 'application/vnd.oci.image.manifest.v1+json').end(manifest);
    else if (url.endsWith(`/blobs/${digestOf(layer)}`)) response.end(layer);
    else response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
  });
}

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  if (problem !== undefined) return;
  work = mkdtempSync(join(tmpdir(), 'tektite-bundle-'));
  bundle = makeBundle(work);
  registry = serveImage(bundle, ['v1.26.6', 'v1.25.3']);
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  repo = `127.0.0.1:${(registry.address() as AddressInfo).port}/byoh`;
  pristine = await SandboxHost.start('pristine');
}, 60_000);
afterAll(() => {
  pristine?.[Symbol.dispose]();
  registry?.close();
  rmSync(work ?? '/nowhere', { recursive: true, force: true });
});

describe.skipIf(problem !== undefined)('agents that really install, in sandboxes', () => {
  let plane: ControlPlane;
  let world: TestWorld;
  beforeEach(async () => {
    plane = await startControlPlane();
    world = new TestWorld(plane);
    await world.manager();
    await world.cluster('c1');
    await world.template('t1', { bundleRepo: repo, bundleType: 'k8s' });
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await plane.close();
  }, 60_000);

  async function sandboxHost(
    name: string,
    options: Parameters<typeof SandboxHost.start>[1] = {},
  ): Promise<SandboxHost> {
    const host = await SandboxHost.start(name, options);
    world.onEnd(() => host[Symbol.dispose]());
    return host;
  }

  async function agentOn(
    host: SandboxHost,
    more: { skipInstallation?: boolean; labels?: Record<string, string> } = {},
  ): Promise<RunningAgent> {
    const { name, sandbox, desk } = host;
    const client = world.agentClient(name);
    await world.home(name);
    const agent = await startAgent({
      client,
      name,
      namespace,
      stateFolder: join(host.root, 'state'),
      sandbox,
      desk,
      ...more,
    });
    world.onEnd(() => agent.stop());
    await world.node(name);
    return agent;
  }

  const remove = async (name: string) => {
    await world.client.delete(ByoMachine, { namespace, name });
    await eventually(() => world.find(ByoMachine, name)).toBeUndefined();
  };
  const isFree = async (host: string) =>
    (await world.byoHost(host)).metadata.labels?.['cluster.x-k8s.io/cluster-name'] === undefined;

  it('two hosts get different roles, from a registry; both are clean afterwards, and one serves another cluster', {
    timeout: 180_000,
  }, async () => {
    const [a, b] = [await sandboxHost('host-a'), await sandboxHost('host-b')];
    await agentOn(a, { labels: { role: 'control-plane' } });
    await agentOn(b, { labels: { role: 'worker' } });
    await world.machine('m1', { selector: { matchLabels: { role: 'control-plane' } }, bootstrap: cloudConfig });
    await world.machine('m2', { selector: { matchLabels: { role: 'worker' } }, bootstrap: cloudConfig });
    const ready = async () => [await world.hostReady('m1'), await world.hostReady('m2')];
    await eventually(ready, 90_000).toEqual(['True', 'True']);
    const look =
      await a.run(`hostname; dpkg-query -W -f '\${db:Status-Abbrev}\\n' test-kubeadm; cat /run/cluster-api/bootstrap-success.complete
stat -c '%a %U:%G' /etc/byoh-test/it*; cat /etc/byoh-test/it* /etc/byoh-test/packed; ls /tmp`);
    expect(look.tail).toBe('host-a\nhi \nsuccess\n640 root:root\ninterface: byoh0\nhello\n');
    await remove('m1');
    await eventually(() => isFree('host-a'), 60_000).toBe(true);
    expect((await a.run('ls /etc/kubernetes /run/cluster-api')).tail).not.toContain('complete');
    expect(await differences(a, pristine)).toEqual([]);

    await world.cluster('c2');
    await world.node('host-a');
    await world.machine('m3', {
      cluster: 'c2',
      version: 'v1.25.3',
      selector: { matchLabels: { role: 'control-plane' } },
      bootstrap: cloudConfig,
    });
    await eventually(() => world.hostReady('m3'), 60_000).toBe('True');
    expect((await world.byoHost('host-a')).metadata.labels?.['cluster.x-k8s.io/cluster-name']).toBe('c2');
  });

  it('what is wrong is seen at the machine, and the host is left clean: registry, bundle, disk, bootstrap', {
    timeout: 180_000,
  }, async () => {
    const host = await sandboxHost('host');
    await agentOn(host);
    const expectFailure = async (machine: string, reason: string, text: string) => {
      await eventually(() => world.hostReady(machine), 30_000).toBe(`False ${reason}`);
      expect((await world.byoMachine(machine)).status?.conditions?.[0]?.message).toContain(text);
      // Between two attempts: another may be under way.
      await eventually(() => differences(host, pristine), 60_000).toEqual([]);
      await remove(machine);
      await eventually(() => isFree('host'), 60_000).toBe(true);
    };
    const installer = (name: string) => ({ ...installerRef, name });
    await world.template('nobody', { bundleRepo: `127.0.0.1:${await closedPort()}/byoh`, bundleType: 'k8s' });
    await world.machine('m1', { installer: installer('nobody') });
    await expectFailure('m1', 'K8sComponentsInstallationFailed', 'connection refused');
    await world.machine('m2', { version: 'v1.24.9' });
    await expectFailure('m2', 'K8sComponentsInstallationFailed', 'manifest unknown');
    const spoiled = join(work, 'spoiled');
    mkdirSync(spoiled, { recursive: true });
    execFileSync('cp', ['-r', bundle, spoiled]);
    writeFileSync(join(spoiled, 'bundle', 'containerd.tar'), 'no archive');
    await world.template('spoiled', { bundleRepo: `dir:${spoiled}/bundle`, bundleType: 'k8s' });
    await world.machine('m3', { installer: installer('spoiled') });
    await expectFailure('m3', 'K8sComponentsInstallationFailed', 'containerd.tar cannot be read');
  });

  it('an installation that fails is tried again after longer and longer times, whatever is written to the host', {
    timeout: 120_000,
  }, async () => {
    const host = await sandboxHost('host');
    await agentOn(host);
    await world.template('nobody', { bundleRepo: `127.0.0.1:${await closedPort()}/byoh`, bundleType: 'k8s' });
    await world.machine('m1', { installer: { ...installerRef, name: 'nobody' } });
    await eventually(() => world.hostReady('m1'), 30_000).toBe('False K8sComponentsInstallationFailed');
    // After a second, after two more, after four more.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const events = (await world.client.list(kinds.Event, { namespace })).items;
    const failed = events.filter(({ reason }) => reason === 'InstallScriptExecutionFailed');
    // Of an Event that is written again, the count goes on.
    const attempts = Math.max(...failed.map(({ count = 1 }) => count));
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThan(5);
  });

  it('a bootstrap that fails is reset and tried again, without another installation', {
    timeout: 120_000,
  }, async () => {
    const host = await sandboxHost('host');
    await agentOn(host);
    await world.machine('m1', {
      bootstrap:
        '#cloud-config\nruncmd:\n- kubeadm join x\n- test -e /tmp/../etc/now-it-works || { echo not yet >&2; exit 9; }\n',
    });
    await eventually(() => world.hostReady('m1'), 60_000).toBe('False CloudInitExecutionFailed');
    expect((await world.byoMachine('m1')).status?.conditions?.[0]?.message).toContain(
      'runcmd[1] ended with exit code 9: not yet',
    );
    // Between two attempts: another may be under way.
    await eventually(async () => (await host.run('ls /etc/kubernetes 2>&1')).tail, 30_000).toContain('No such file');
    await host.run('touch /etc/now-it-works');
    await eventually(() => world.hostReady('m1'), 60_000).toBe('True');
    expect(
      readFileSync(join(host.root, 'agent/logs/install.log'), 'utf8').match(/Kubernetes is installed/g),
    ).toHaveLength(1);
  });

  it('an agent that is stopped in the middle goes on after its start', { timeout: 120_000 }, async () => {
    const host = await sandboxHost('host');
    // Holds the installation at its fourth step until the file is removed.
    writeFileSync(
      join(host.root, 'agent/hold'),
      `trap 'while [ -e /run/byoh-agent/wait ] && case "$BASH_COMMAND" in "step 4 "*) true ;; *) false ;; esac; do sleep 0.1; done' DEBUG\n`,
    );
    writeFileSync(join(host.root, 'agent/wait'), '');
    const held = await SandboxHost.reopen(host, { BASH_ENV: '/run/byoh-agent/hold' });
    const first = await agentOn(held);
    await world.machine('m1', { bootstrap: cloudConfig });
    await eventually(
      () => readFileSync(join(host.root, 'agent/logs/install.log'), { encoding: 'utf8', flag: 'a+' }),
      30_000,
    ).toContain('step 3');
    await first.stop();
    rmSync(join(host.root, 'agent/wait'));
    const second = await agentOn(await SandboxHost.reopen(host, {}));
    await eventually(() => world.hostReady('m1'), 60_000).toBe('True');
    await second.stop();
  });

  it('a host that skips installations is reset when it is released', { timeout: 120_000 }, async () => {
    const host = await sandboxHost('host');
    await host.run(
      `printf '#!/bin/bash\\n[ "$1" != join ] || { mkdir -p /etc/kubernetes; touch /etc/kubernetes/kubelet.conf; }\\n[ "$1" != reset ] || rm -rf /etc/kubernetes\\n' >/usr/local/bin/kubeadm; chmod +x /usr/local/bin/kubeadm`,
    );
    await agentOn(host, { skipInstallation: true });
    await world.machine('m1', { installer: false, bootstrap: '#cloud-config\nruncmd: ["kubeadm join x"]\n' });
    await eventually(() => world.hostReady('m1'), 60_000).toBe('True');
    expect((await host.run('ls /etc/kubernetes')).tail).toBe('kubelet.conf\n');
    await remove('m1');
    await eventually(() => isFree('host'), 60_000).toBe(true);
    expect((await host.run('ls /etc/kubernetes 2>&1')).tail).toContain('No such file');
  });

  it('a machine without a default route says so only where its interface is asked for', {
    timeout: 120_000,
  }, async () => {
    const host = await sandboxHost('host', { isOffline: true });
    await agentOn(host);
    expect((await world.byoHost('host')).status?.network ?? []).toEqual([]);
    await world.machine('m1', {
      bootstrap: '#cloud-config\nwrite_files:\n- {path: /etc/x, content: "{{ .DefaultNetworkInterfaceName }}"}\n',
    });
    await eventually(() => world.hostReady('m1'), 60_000).toBe('False CloudInitExecutionFailed');
    expect((await world.byoMachine('m1')).status?.conditions?.[0]?.message).toContain(
      'there is no variable DefaultNetworkInterfaceName',
    );
  });
});
