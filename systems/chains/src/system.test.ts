import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { kinds, mergePatch } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { exploreCrashes } from '@tektite/simulator';
import { startControlPlane } from '@tektite/testkit';
import { TestRegistry } from '@tektite/testkit/images';
import { describe, expect, it } from 'vitest';
import { parseImageDigest } from './artifacts/image-digest.ts';
import { PipelineRun, TaskRun } from './kinds/runs.ts';
import { type Envelope, openEnvelope } from './signing/envelope.ts';
import { chainsSystem } from './system.ts';
import { attestationsOfImage } from './verify.ts';
import { completedTask, createPipelineRun, createTaskRun, image, imageResults, installRuns } from './test-support.ts';

const namespace = 'default';
const system = chainsSystem({ generatesKey: true });

async function start(config: Record<string, string> = {}) {
  const plane = await startControlPlane();
  const { client } = plane;
  await installRuns(client);
  await client.create(kinds.Namespace, { metadata: { name: 'tekton-chains' } });
  const settings = { metadata: { name: 'chains-config', namespace: 'tekton-chains' }, data: config };
  await client.create(kinds.ConfigMap, settings);
  const running = await startSystems([system], { client });
  const annotations = async (name: string, kind: typeof TaskRun | typeof PipelineRun = TaskRun) =>
    (await client.get(kind as typeof TaskRun, { namespace, name })).metadata.annotations ?? {};
  const publicKey = async () => {
    const { data = {} } = await client.get(kinds.Secret, { namespace: 'tekton-chains', name: 'signing-secrets' });
    return createPublicKey(Buffer.from(data['cosign.pub'] ?? '', 'base64'));
  };
  return {
    client,
    annotations,
    publicKey,
    signed: (name: string, kind?: typeof PipelineRun) =>
      expect.poll(async () => (await annotations(name, kind))['chains.tekton.dev/signed']),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await plane.close();
    },
  };
}

const decoded = (text = '') => Buffer.from(text, 'base64');

describe('a completed TaskRun', () => {
  it('carries its statement, signed by the key of the Secret', async () => {
    await using chains = await start();
    const { metadata } = await createTaskRun(chains.client, 'build', completedTask);
    await chains.signed('build').toBe('true');
    const written = await chains.annotations('build');
    const envelope = JSON.parse(
      decoded(written[`chains.tekton.dev/signature-taskrun-${metadata.uid}`]).toString(),
    ) as Envelope;
    const statement = openEnvelope(envelope, await chains.publicKey());
    expect(statement).toEqual(decoded(written[`chains.tekton.dev/payload-taskrun-${metadata.uid}`]));
    expect(JSON.parse(String(statement))).toMatchObject({
      predicateType: 'https://slsa.dev/provenance/v0.2',
      predicate: {
        buildType: 'tekton.dev/v1/TaskRun',
        materials: [{ uri: 'oci://registry.test/builder', digest: { sha256: 'b'.repeat(64) } }],
      },
    });
    // Nobody who changed a byte of it has the key.
    const forged = { ...envelope, payload: Buffer.from('{}').toString('base64') };
    expect(openEnvelope(forged, await chains.publicKey())).toBeUndefined();
  });

  it('has its image signed and attested in the registry, where cosign looks', async () => {
    await using registry = await TestRegistry.start();
    await using chains = await start({
      'artifacts.taskrun.storage': 'oci',
      'artifacts.taskrun.format': 'slsa/v2alpha4',
    });
    await createTaskRun(chains.client, 'build', { ...completedTask, results: imageResults(registry.host) });
    await chains.signed('build').toBe('true');
    const attached = async (kind: string) => {
      const tag = `${image.digest.replace(':', '-')}.${kind}`;
      const answer = await fetch(`${registry.origin}/v2/${image.repository}/manifests/${tag}`);
      return (await answer.json()) as { layers: { digest: string; mediaType: string }[] };
    };
    const [signature] = (await attached('sig')).layers;
    expect(signature?.mediaType).toBe('application/vnd.dev.cosign.simplesigning.v1+json');
    const [attestation] = (await attached('att')).layers;
    const envelope = JSON.parse(String(registry.blobs.get(attestation?.digest ?? ''))) as Envelope;
    expect(JSON.parse(String(openEnvelope(envelope, await chains.publicKey())))).toMatchObject({
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: [{ name: `${registry.host}/${image.repository}`, digest: { sha256: 'a'.repeat(64) } }],
    });
  });

  it('has its image signed and attested by referrers, with the encoding sigstore-bundle, once', async () => {
    await using registry = await TestRegistry.start();
    const path = `${registry.origin}/v2/${image.repository}/manifests`;
    const type = 'application/vnd.oci.image.manifest.v1+json';
    const body = JSON.stringify({ schemaVersion: 2, mediaType: type, layers: [] });
    await fetch(`${path}/latest`, { method: 'PUT', body, headers: { 'content-type': type } });
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    await using chains = await start({
      'artifacts.taskrun.storage': 'oci',
      'storage.oci.encoding-format': 'sigstore-bundle',
    });
    const results = [
      { name: 'IMAGE_URL', type: 'string', value: `${registry.host}/${image.repository}` },
      { name: 'IMAGE_DIGEST', type: 'string', value: digest },
    ];
    await createTaskRun(chains.client, 'build', { ...completedTask, results });
    await chains.signed('build').toBe('true');
    const readJson = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>;
    const listed = async () =>
      (await readJson(`${path}/${digest.replace(':', '-')}`))['manifests'] as readonly {
        readonly digest: string;
        readonly artifactType: string;
        readonly annotations: Readonly<Record<string, string>>;
      }[];
    const referrers = await listed();
    const predicates = referrers.map(({ annotations }) => annotations['dev.sigstore.bundle.predicateType']);
    expect(new Set(predicates)).toEqual(
      new Set(['https://sigstore.dev/cosign/sign/v1', 'https://slsa.dev/provenance/v0.2']),
    );
    for (const { digest: referrer, artifactType } of referrers) {
      expect(artifactType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
      expect(await readJson(`${path}/${referrer}`)).toMatchObject({ subject: { digest, size: body.length } });
    }
    const key = await chains.publicKey();
    const target = parseImageDigest(`${registry.host}/${image.repository}@${digest}`);
    const attestations = () =>
      attestationsOfImage(target as never, key, async () => undefined, new AbortController().signal);
    const found = await attestations();
    expect(found).toHaveLength(1);
    expect(JSON.parse(found[0]?.statement ?? '')).toMatchObject({ subject: [{ digest: { sha256: digest.slice(7) } }] });
    // After a crash, the run is signed again.
    const unsigned = { metadata: { annotations: { 'chains.tekton.dev/signed': null } } };
    await chains.client.patch(TaskRun, { namespace, name: 'build' }, mergePatch(unsigned));
    await chains.signed('build').toBe('true');
    expect(await listed()).toHaveLength(2);
    expect(await attestations()).toHaveLength(1);
  });

  it('is given up after some attempts, when the registry takes nothing', async () => {
    await using registry = await TestRegistry.start();
    registry.intercept = (_request, response) => Boolean(response.writeHead(403).end());
    await using chains = await start();
    await createTaskRun(chains.client, 'build', { ...completedTask, results: imageResults(registry.host) });
    await chains.signed('build').toBe('failed');
    expect(await chains.annotations('build')).toMatchObject({ 'chains.tekton.dev/retries': '3' });
  });

  it('is signed before it is deleted', async () => {
    await using registry = await TestRegistry.start();
    await using chains = await start({ 'artifacts.taskrun.storage': 'oci' });
    let isOpen = false;
    registry.intercept = async () => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 5));
      return false;
    };
    const key = { namespace, name: 'build' };
    await createTaskRun(chains.client, 'build', { ...completedTask, results: imageResults(registry.host) });
    const finalizers = async () => (await chains.client.get(TaskRun, key)).metadata.finalizers;
    await expect.poll(finalizers).toEqual(['chains.tekton.dev/taskrun']);
    await chains.client.delete(TaskRun, key);
    isOpen = true;
    await expect.poll(async () => (await chains.client.list(TaskRun)).items).toEqual([]);
    expect(registry.requests.some(({ method, url }) => method === 'PUT' && url.endsWith('.att'))).toBe(true);
  });
});

describe('a completed PipelineRun', () => {
  it('is signed after its TaskRuns', async () => {
    await using chains = await start({ 'artifacts.pipelinerun.format': 'slsa/v1' });
    await createPipelineRun(chains.client, 'release', ['build']);
    const { uid = '' } = (await chains.client.get(PipelineRun, { namespace, name: 'release' })).metadata;
    const owner = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', name: 'release', uid, controller: true };
    const labels = { 'tekton.dev/pipelineTask': 'build' };
    await createTaskRun(chains.client, 'build', completedTask, { labels, ownerReferences: [owner] });
    await chains.signed('release', PipelineRun).toBe('true');
    expect(await chains.annotations('build')).toMatchObject({ 'chains.tekton.dev/signed': 'true' });
    const written = await chains.annotations('release', PipelineRun);
    const statement = JSON.parse(decoded(written[`chains.tekton.dev/payload-pipelinerun-${uid}`]).toString()) as object;
    expect(statement).toMatchObject({
      predicate: { buildConfig: { tasks: [{ name: 'build', status: 'Succeeded' }] } },
    });
  });
});

describe('a crash', () => {
  it('at any write, before and after it takes effect, leaves no run unsigned', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const stringData = { 'x509.pem': String(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
    const explored = await exploreCrashes(
      {
        async prepare({ client }) {
          await installRuns(client);
          await client.create(kinds.Namespace, { metadata: { name: 'tekton-chains' } });
          const metadata = { name: 'signing-secrets', namespace: 'tekton-chains' };
          await client.create(kinds.Secret, { metadata, stringData });
        },
        async start(client) {
          await startSystems([chainsSystem()], { client, install: false });
        },
        async act({ client }) {
          await createTaskRun(client, 'build', completedTask);
        },
        async check({ client }) {
          const { annotations } = (await client.get(TaskRun, { namespace, name: 'build' })).metadata;
          expect(annotations?.['chains.tekton.dev/signed']).toBe('true');
        },
      },
      { seed: 1, component: 'program', pairs: true },
    );
    expect(explored.failed.map(({ report }) => report.failure)).toEqual([]);
    expect(explored.writes).toBeGreaterThan(1);
  });
});
