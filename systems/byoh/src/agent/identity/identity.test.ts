import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, createSigningRequest, readCertificate, signRequest } from '@tektite/certificates';
import { Client, httpTransport, kinds, loadConfig, mergePatch } from '@tektite/client';
import { defineController, Manager, silentLogger } from '@tektite/controller';
import { isStatusError, sleep, systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BootstrapKubeconfig } from '../../kinds/bootstrap-kubeconfig.ts';
import { ByoHost } from '../../kinds/byo-host.ts';
import { eventually, namespace, TestWorld, ubuntu } from '../../test-support.ts';
import { dryRunSandbox } from '../sandbox/dry-run-sandbox.ts';
import { ScriptMetrics } from '../script-metrics.ts';
import { startAgent } from '../start-agent.ts';
import { AgentIdentity, renewalTime } from './agent-identity.ts';

let plane: ControlPlane;
let world: TestWorld;
const stopping = { controller: new AbortController() };

beforeEach(async () => {
  stopping.controller = new AbortController();
  plane = await startControlPlane();
  world = new TestWorld(plane);
  await world.manager();
});
afterEach(async () => {
  stopping.controller.abort(new Error('the test ended'));
  await world[Symbol.asyncDispose]();
  await plane.close();
});

/** Signs what was approved, as a cluster does, for as long as the test wants. */
async function startSigner(validForMs: number): Promise<void> {
  const { authority } = await plane.https();
  const manager = new Manager(plane.client, { name: 'signer', graceMs: 0 });
  manager.add(
    defineController({
      name: 'signer',
      kind: kinds.CertificateSigningRequest,
      async reconcile({ metadata, spec, status }, { client }) {
        if (status?.certificate || !status?.conditions?.some(({ type }) => type === 'Approved')) return;
        const request = Buffer.from(spec.request, 'base64').toString('utf8');
        const certificate = await signRequest(authority, request, {
          clock: systemClock,
          usages: spec.usages ?? [],
          validForMs,
        });
        const patch = mergePatch({ status: { certificate: Buffer.from(certificate).toString('base64') } });
        await client.patch(kinds.CertificateSigningRequest, { name: metadata.name ?? '' }, patch, {
          subresource: 'status',
        });
      },
    }),
  );
  manager.start();
  world.onEnd(() => manager.stop());
}

/** The kubeconfig that an administrator hands out, in a file. */
async function bootstrapFile(where = namespace): Promise<string> {
  const { config } = await plane.https();
  await world.client.create(BootstrapKubeconfig, {
    metadata: { name: 'b1', namespace: where },
    spec: {
      apiserver: config.server,
      'certificate-authority-data': Buffer.from(config.certificateAuthority ?? '').toString('base64'),
    },
  });
  const key = { namespace: where, name: 'b1' };
  const data = async () => (await world.client.get(BootstrapKubeconfig, key)).status?.bootstrapKubeconfigData;
  await eventually(data).toBeDefined();
  const file = join(world.folder(), 'bootstrap');
  writeFileSync(file, (await data()) ?? '');
  return file;
}

function identityOptions(host: string, configFile: string, file?: string) {
  return {
    host,
    configFile,
    ...(file ? { bootstrapFile: file } : {}),
    certificateSeconds: 3600,
    clock: systemClock,
    log: silentLogger,
    metrics: new ScriptMetrics(systemClock),
    signal: stopping.controller.signal,
  };
}

describe('a new host', () => {
  it('gets a certificate with a bootstrap kubeconfig, registers, and is seen with its facts', async () => {
    await startSigner(3_600_000);
    const file = await bootstrapFile();
    const configFile = join(world.folder(), 'home', 'config');
    const identity = await AgentIdentity.open(identityOptions('h1', configFile, file));
    expect(statSync(configFile).mode & 0o777).toBe(0o600);
    const { spec, status } = await world.client.get(kinds.CertificateSigningRequest, { name: 'byoh-csr-h1' });
    expect(spec).toMatchObject({ signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] });
    expect(status?.conditions?.[0]).toMatchObject({ type: 'Approved', reason: 'Approved by ByoAdmission Controller' });
    const client = new Client(httpTransport(identity.clientConfig));
    world.onEnd(() => client.close());
    const agent = await startAgent({
      client,
      name: 'h1',
      namespace,
      labels: { site: 'north' },
      stateFolder: world.folder(),
      sandbox: dryRunSandbox({ facts: ubuntu }),
    });
    world.onEnd(() => agent.stop());
    const host = await world.byoHost('h1');
    expect(host.metadata.labels).toEqual({ site: 'north' });
    expect(host.status?.hostinfo).toEqual(ubuntu.info);
    await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('True');
    // The next start needs no bootstrap kubeconfig.
    await AgentIdentity.open(identityOptions('h1', configFile));
  });

  it('registers in the namespace of its bootstrap kubeconfig, which its own kubeconfig names from then on', async () => {
    await startSigner(3_600_000);
    await world.client.create(kinds.Namespace, { metadata: { name: 'tenant-b' } });
    const file = await bootstrapFile('tenant-b');
    const configFile = join(world.folder(), 'config');
    const identity = await AgentIdentity.open(identityOptions('h1', configFile, file));
    const { namespace: own } = identity.clientConfig;
    expect(own).toBe('tenant-b');
    expect((await loadConfig({ kubeconfig: configFile })).namespace).toBe('tenant-b');
    await using client = new Client(httpTransport(identity.clientConfig));
    const sandbox = dryRunSandbox({ facts: ubuntu });
    await using _ = await startAgent({ client, name: 'h1', namespace: own, stateFolder: world.folder(), sandbox });
    const { status } = await world.client.get(ByoHost, { namespace: 'tenant-b', name: 'h1' });
    expect(status?.hostinfo).toEqual(ubuntu.info);
  });

  it('can do nothing with the bootstrap kubeconfig but ask, and nothing after it expired', async () => {
    const file = await bootstrapFile();
    await using client = new Client(httpTransport(await loadConfig({ kubeconfig: file })));
    await expect(client.list(kinds.Secret, { namespace })).rejects.toThrow('forbidden');
    await expect(client.list(ByoHost, { namespace })).rejects.toThrow('forbidden');
    const [secret] = (await world.client.list(kinds.Secret, { namespace: 'kube-system' })).items;
    expect(secret?.type).toBe('bootstrap.kubernetes.io/token');
    const expiration = Buffer.from('2020-01-01T00:00:00Z').toString('base64');
    await world.client.patch(
      kinds.Secret,
      { namespace: 'kube-system', name: secret?.metadata.name ?? '' },
      mergePatch({ data: { expiration } }),
    );
    const attempt = AgentIdentity.open(identityOptions('h1', join(world.folder(), 'config'), file));
    await expect(attempt).rejects.toSatisfy((error) => isStatusError(error, 'Unauthorized'));
  });

  it('gets a remedy when it has neither a kubeconfig nor a bootstrap kubeconfig', async () => {
    const attempt = AgentIdentity.open(identityOptions('h1', join(world.folder(), 'config')));
    await expect(attempt).rejects.toThrow('register this host with --bootstrap-kubeconfig');
  });

  it('goes on waiting for the same request after a restart', async () => {
    const file = await bootstrapFile();
    const configFile = join(world.folder(), 'config');
    const first = new AbortController();
    const attempt = AgentIdentity.open({ ...identityOptions('h1', configFile, file), signal: first.signal });
    attempt.catch(() => undefined);
    await eventually(async () => (await world.client.list(kinds.CertificateSigningRequest)).items.length).toBe(1);
    first.abort(new Error('killed'));
    await expect(attempt).rejects.toThrow('killed');
    await startSigner(3_600_000);
    await AgentIdentity.open(identityOptions('h1', configFile, file));
    expect((await world.client.list(kinds.CertificateSigningRequest)).items).toHaveLength(1);
  });
});

describe('a bootstrap kubeconfig', () => {
  const expire = async () => {
    const expiration = Buffer.from('2020-01-01T00:00:00Z').toString('base64');
    const [secret] = (await world.client.list(kinds.Secret, { namespace: 'kube-system' })).items;
    await world.client.patch(
      kinds.Secret,
      { namespace: 'kube-system', name: secret?.metadata.name ?? '' },
      mergePatch({ data: { expiration } }),
    );
    await world.client.patchStatus(
      BootstrapKubeconfig,
      { namespace, name: 'b1' },
      mergePatch({ status: { expirationTime: '2020-01-01T00:00:00Z' } }),
    );
    return secret?.metadata.name;
  };
  const status = async () =>
    (await world.client.get(BootstrapKubeconfig, { namespace, name: 'b1' })).status?.expirationTime;
  const tokens = async () =>
    (await world.client.list(kinds.Secret, { namespace: 'kube-system' })).items.map(({ metadata }) => metadata.name);

  it('is recreated when it expires unused, and the old token is deleted', async () => {
    await bootstrapFile();
    const old = await expire();
    await eventually(status).not.toBe('2020-01-01T00:00:00Z');
    expect(await tokens()).toHaveLength(1);
    expect(await tokens()).not.toContain(old);
  });

  it('that a host used stays expired', async () => {
    await startSigner(3_600_000);
    const file = await bootstrapFile();
    await AgentIdentity.open(identityOptions('h1', join(world.folder(), 'config'), file));
    await expire();
    await sleep(systemClock, 500);
    expect(await status()).toBe('2020-01-01T00:00:00Z');
  });
});

describe('a certificate', () => {
  it('is renewed in the process, with itself and not with the token', { timeout: 30_000 }, async () => {
    await startSigner(10_000);
    const file = await bootstrapFile();
    const configFile = join(world.folder(), 'config');
    const identity = await AgentIdentity.open(identityOptions('h1', configFile, file));
    await world.client.deleteCollection(kinds.Secret, { namespace: 'kube-system' });
    const client = new Client(httpTransport(identity.clientConfig));
    world.onEnd(() => client.close());
    const certificate = () => readFileSync(configFile, 'utf8');
    const before = certificate();
    const renewing = identity.renew();
    await eventually(certificate, 15_000).not.toBe(before);
    await sleep(systemClock, 4000);
    // The first one has expired by now.
    await client.get(kinds.CertificateSigningRequest, { name: 'byoh-csr-h1' });
    const names = (await world.client.list(kinds.CertificateSigningRequest)).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['byoh-csr-h1', expect.stringMatching(/^byoh-csr-h1-[0-9a-f]{10}$/)]));
    stopping.controller.abort(new Error('enough'));
    await renewing;
  });

  it('is renewed when a fifth of its time is left; of short ones, of the time that is ahead', () => {
    const year = 365 * 24 * 3_600_000;
    expect(renewalTime({ notBefore: 0, notAfter: year }, year / 2)).toBe(year * 0.8);
    expect(renewalTime({ notBefore: -300_000, notAfter: 60_000 }, 0)).toBe(48_000);
  });

  it('is denied to hosts that ask for another’s', async () => {
    const ask = async (
      user: { name: string; groups: string[] },
      name: string,
      commonName: string,
      organizations: string[],
    ) => {
      const request = await createSigningRequest(await createKey(), { commonName, organizations });
      const client = plane.clientFor({ ...user, groups: [...user.groups, 'system:authenticated'] });
      await client.create(kinds.CertificateSigningRequest, {
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
        },
      });
    };
    const bootstrapper = {
      name: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:byoh', 'system:bootstrappers:byoh:default'],
    };
    const host = { name: 'byoh:host:a', groups: ['byoh:hosts'] };
    await ask(bootstrapper, 'byoh-csr-admin', 'admin', ['system:nodes']);
    await ask(bootstrapper, 'byoh-csr-b', 'byoh:host:c', ['byoh:hosts']);
    await ask(bootstrapper, 'byoh-csr-d', 'byoh:host:d', ['byoh:hosts', 'system:nodes']);
    await ask(host, 'byoh-csr-ab', 'byoh:host:ab', ['byoh:hosts']);
    // A place that another host has is not given away for a token.
    await world.dryAgent('taken');
    await world.home('a');
    await ask(bootstrapper, 'byoh-csr-taken', 'byoh:host:taken', ['byoh:hosts']);
    await ask(bootstrapper, 'byoh-csr-good', 'byoh:host:good', ['byoh:hosts']);
    await ask(host, 'byoh-csr-a', 'byoh:host:a', ['byoh:hosts']);
    const approved = async () =>
      (await world.client.list(kinds.CertificateSigningRequest)).items
        .filter(({ status }) => status?.conditions?.length)
        .map(({ metadata }) => metadata.name)
        .toSorted((a = '', b = '') => a.localeCompare(b));
    await eventually(approved).toEqual(['byoh-csr-a', 'byoh-csr-good']);
    await sleep(systemClock, 300);
    expect(await approved()).toEqual(['byoh-csr-a', 'byoh-csr-good']);
    expect(readCertificate('')).toBeUndefined();
  });
});
