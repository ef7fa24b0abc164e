import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer } from '@tektite/apiserver';
import { seededRandom } from '@tektite/meta';
import { FinalError, ImageLayout } from '@tektite/oci';
import { expect, it } from 'vitest';
import { JsonMutator } from './json-mutator.ts';
import { Mutator } from './mutator.ts';
import { ProtobufGrammar } from './protobuf-grammar.ts';

/** Formats with a structure of their own, made by their grammar. TEKTITE_FUZZ_INPUTS and TEKTITE_FUZZ_SEED as elsewhere. */
const inputs = Number(process.env['TEKTITE_FUZZ_INPUTS'] ?? 600);
const seed = Number(process.env['TEKTITE_FUZZ_SEED'] ?? 20261116);
const timeout = 60_000 + inputs * 20;
const maxMs = 1000;

async function timed<T>(work: () => Promise<T> | T, what: () => string): Promise<T> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  if ((user + system) / 1000 > maxMs) throw new Error(`took ${(user + system) / 1000} ms: ${what()}`);
  return result;
}

it(`objects in protobuf are stored or answered with a Status (${inputs} inputs, seed ${seed})`, {
  timeout,
}, async () => {
  const failures: unknown[] = [];
  const server = await ApiServer.create({ onError: (error) => failures.push(error) });
  const random = seededRandom(seed);
  const grammar = new ProtobufGrammar(random);
  const targets = [
    ['/api/v1/namespaces/default/pods', 'v1', 'Pod'],
    ['/api/v1/namespaces/default/configmaps', 'v1', 'ConfigMap'],
    ['/api/v1/namespaces/default/events', 'v1', 'Event'],
    ['/apis/apps/v1/namespaces/default/deployments', 'apps/v1', 'Deployment'],
    ['/apis/events.k8s.io/v1/namespaces/default/events', 'events.k8s.io/v1', 'Event'],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ['/api/v1/namespaces/default/pods/none', 'v1', 'DeleteOptions'],
  ] as const;
  for (let round = 0; round < inputs; round++) {
    const [path, apiVersion, kind] = targets[Math.floor(random.next() * targets.length)] as (typeof targets)[number];
    const good = grammar.envelope(apiVersion, kind);
    const body = random.next() < 0.3 ? new Mutator(random, [good]).next() : good;
    const what = () => `${path} ${body.toString('base64')}`;
    const request = {
      method: kind === 'DeleteOptions' ? 'DELETE' : 'POST',
      path,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' },
      user: { name: 'fuzz', groups: ['system:masters'] },
      body,
    };
    const response = await timed(() => server.handle(request), what);
    if (response.type !== 'object') throw new Error(`${response.type}: ${what()}`);
    if (response.code >= 400)
      expect(response.object, what()).toMatchObject({ kind: 'Status', status: 'Failure', code: response.code });
    expect(failures, what()).toEqual([]);
  }
  await server.close();
});

it(`indexes and manifests of images are read or refused (${inputs} inputs, seed ${seed})`, { timeout }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tektite-fuzz-'));
  const digest = 'a'.repeat(64);
  const refName = 'org.opencontainers.image.ref.name';
  const descriptor = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: `sha256:${digest}`, size: 7 };
  const index = { schemaVersion: 2, manifests: [{ ...descriptor, annotations: { [refName]: 'v1' } }] };
  const manifest = {
    schemaVersion: 2,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: `sha256:${digest}`, size: 2 },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${digest}`, size: 5 }],
  };
  const random = seededRandom(seed);
  const structure = new JsonMutator(random);
  const bytes = new Mutator(random, [JSON.stringify(index), JSON.stringify(manifest)]);
  const blob = join(folder, 'blobs', 'sha256', digest);
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  const layout = new ImageLayout(folder);
  try {
    for (let round = 0; round < inputs; round++) {
      const isBytes = random.next() < 0.2;
      const texts = [index, manifest].map((good) =>
        random.next() < 0.3 ? JSON.stringify(good) : isBytes ? bytes.text() : JSON.stringify(structure.mutate(good)),
      );
      const what = () => texts.join('\n').slice(0, 2000);
      writeFileSync(join(folder, 'index.json'), texts[0] as string);
      writeFileSync(blob, texts[1] as string);
      await timed(async () => {
        try {
          const { layers } = await layout.manifest('example.com/a:v1');
          for (const layer of layers) await layout.saveBlob(layer.digest, join(folder, 'layer'), 1000);
        } catch (error) {
          const isMeant = error instanceof FinalError || /checksum|larger|exceeds|bytes/.test((error as Error).message);
          expect(isMeant, `${String(error)}\n${what()}`).toBe(true);
        }
      }, what);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
