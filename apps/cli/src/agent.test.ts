import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { overlayProblem } from '@tektite/byoh';
import { Client, httpTransport, kinds, loadConfig } from '@tektite/client';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository, Scratch } from './test-support.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta1';
const clusterApi = 'cluster.x-k8s.io/v1beta1';
const namespace = 'default';
const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const later = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 100 });

const problem = await overlayProblem();
if (problem !== undefined) process.stderr.write(`tektite agent was not run in a sandbox: ${problem}\n`);

describe('tektite agent', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = new Scratch();
  });
  afterEach(() => scratch[Symbol.dispose]());

  it('prints its version as the original does', () => {
    expect(scratch.tektite(['agent', '--version']).out).toMatch(/^byoh-hostagent version: /);
  });

  it.each([
    [['--label', 'nonsense'], '--label must be key=value, not "nonsense"'],
    [['--sandbox', 'moon'], '--sandbox must be host, overlay or dry-run, not "moon"'],
    [['--sandbox', 'dry-run'], 'register this host with --bootstrap-kubeconfig, or name its kubeconfig with --config'],
    [['--sandbox', 'dry-run', '--config', 'nowhere', '--bootstrap-kubeconfig', 'nowhere-either'], 'nowhere-either'],
    [['--certExpiryDuration', 'long'], '--certExpiryDuration must be a number'],
    [['--log-level', 'loud'], '--log-level must be one of'],
  ])('ends with an exit code and a sentence: %j', (args, message) => {
    const { code, err } = scratch.tektite(['agent', '--state-dir', './state', ...args]);
    expect(code).toBe(message.startsWith('--') ? 2 : 1);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
  });
});

describe.skipIf(problem !== undefined)('tektite agent, in a sandbox', () => {
  const root = problem === undefined ? mkdtempSync('/dev/shm/tektite-agent-') : '';
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('goes on where it was when it is killed, and never does a thing twice at a time', {
    timeout: 150_000,
  }, async () => {
    using scratch = new Scratch();
    await using plane = await scratch.up('--systems', `byoh,${join(repository, 'examples/echo-installer')}`);
    await using client = new Client(httpTransport(await loadConfig({ kubeconfig: plane.kubeconfig })));
    const make = (object: object) => client.create(object as KubeObject);
    const bootstrap = await bootstrapFile(scratch, client);
    const args = [
      'agent',
      '--bootstrap-kubeconfig',
      bootstrap,
      '--config',
      join(scratch.path, 'host/config'),
      '--name',
      'h1',
    ];
    args.push('--sandbox', 'overlay', '--root', join(root, 'h1'), '--metricsbindaddress', '0', '--heartbeat', '1s');
    mkdirSync(join(root, 'h1'), { recursive: true });
    const start = () => scratch.start(args, /"msg":"running"/);
    await using first = await start();

    // Fails if it is run while it runs.
    const command =
      'mkdir /run/alone || exit 3; echo started >>/run/started; sleep 3; rmdir /run/alone; echo ended >>/run/ended';
    await make({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'boot', namespace },
      stringData: { value: `#cloud-config\nruncmd:\n- ${command}\n` },
    });
    await make({
      apiVersion: 'example.dev/v1',
      kind: 'EchoInstallerConfigTemplate',
      metadata: { name: 'echo', namespace },
      spec: { template: { spec: {} } },
    });
    const infrastructureRef = { apiVersion: infrastructure, kind: 'ByoCluster', name: 'c1' };
    const cluster = await make({
      apiVersion: clusterApi,
      kind: 'Cluster',
      metadata: { name: 'c1', namespace },
      spec: { infrastructureRef },
    });
    await client.updateStatus(cluster, { ...cluster, status: { infrastructureReady: true } } as DynamicObject);
    const machine = await make({
      apiVersion: clusterApi,
      kind: 'Machine',
      metadata: { name: 'm1', namespace, labels },
      spec: {
        version: 'v1.26.6',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { apiVersion: infrastructure, kind: 'ByoMachine', name: 'm1' },
      },
    });
    await make({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'c1-kubeconfig', namespace },
      data: { value: Buffer.from(readFileSync(plane.kubeconfig)).toString('base64') },
    });
    await make({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'h1' } });
    await make({
      apiVersion: infrastructure,
      kind: 'ByoMachine',
      metadata: {
        name: 'm1',
        namespace,
        labels,
        ownerReferences: [{ apiVersion: clusterApi, kind: 'Machine', name: 'm1', uid: machine.metadata.uid }],
      },
      spec: { installerRef: { apiVersion: 'example.dev/v1', kind: 'EchoInstallerConfigTemplate', name: 'echo' } },
    });
    const inside = (file: string) => join(root, 'h1/run', file);
    await later(() => existsSync(inside('started'))).toBe(true);
    await first.stop('SIGKILL');
    await using _ = await start();
    const ready = async () => {
      const { status } = await client.get(
        { apiVersion: infrastructure, kind: 'ByoMachine' },
        { namespace, name: 'm1' },
      );
      return (status as { ready?: boolean } | undefined)?.ready;
    };
    await later(ready).toBe(true);
    // The command that was running before the kill completed, and was then run once more, alone.
    expect(readFileSync(inside('ended'), 'utf8')).toBe('ended\nended\n');
    expect(readFileSync(join(root, 'h1/agent/logs/install.log'), 'utf8')).toBe(
      'hello: installing Kubernetes v1.26.6\n',
    );

    await client.delete({ apiVersion: infrastructure, kind: 'ByoMachine' }, { namespace, name: 'm1' });
    const host = () => client.get({ apiVersion: infrastructure, kind: 'ByoHost' }, { namespace, name: 'h1' });
    await later(async () => (await host()).metadata.labels ?? {}).toEqual({});
    // The config and its Secret are collected with the machine.
    await later(async () =>
      (await client.list(kinds.Secret, { namespace })).items.map(({ metadata }) => metadata.name),
    ).not.toContain('m1');
  });
});

async function bootstrapFile(scratch: Scratch, client: Client): Promise<string> {
  const { server = '', authority = '' } = await connectionOf(scratch);
  const kind = { apiVersion: infrastructure, kind: 'BootstrapKubeconfig' };
  await client.create({
    ...kind,
    metadata: { name: 'b', namespace },
    spec: { apiserver: server, 'certificate-authority-data': authority },
  } as KubeObject);
  const data = async () => {
    const { status } = await client.get(kind, { namespace, name: 'b' });
    return (status as { bootstrapKubeconfigData?: string } | undefined)?.bootstrapKubeconfigData;
  };
  await later(data).toBeDefined();
  const file = join(scratch.path, 'bootstrap.conf');
  writeFileSync(file, (await data()) ?? '');
  return file;
}

async function connectionOf(scratch: Scratch): Promise<{ readonly server?: string; readonly authority?: string }> {
  const { server, certificateAuthority = '' } = await loadConfig({ kubeconfig: join(scratch.path, 'data/kubeconfig') });
  return { server, authority: Buffer.from(certificateAuthority).toString('base64') };
}
