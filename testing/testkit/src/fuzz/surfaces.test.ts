import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer } from '@tektite/apiserver';
import { isClientError, loadConfig } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { parseImageReference, unpackLayer } from '@tektite/oci';
import { parseYaml } from '@tektite/schema/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mutator } from './mutator.ts';

/**
 * Hostile input on every surface that parses something of a stranger: no exit, no hang, no error that is not meant. CI takes a
 * small budget; TEKTITE_FUZZ_INPUTS sets another, TEKTITE_FUZZ_SEED repeats a run.
 */
const inputs = Number(process.env['TEKTITE_FUZZ_INPUTS'] ?? 600);
const seed = Number(process.env['TEKTITE_FUZZ_SEED'] ?? 20261116);
const timeout = 60_000 + inputs * 20;

/** No input may take longer, processor time of this process alone. */
const maxMs = 1000;

async function timed<T>(input: unknown, work: () => Promise<T> | T): Promise<T> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  const milliseconds = (user + system) / 1000;
  expect(milliseconds, `took ${milliseconds} ms: ${JSON.stringify(String(input).slice(0, 2000))}`).toBeLessThan(maxMs);
  return result;
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { a: 'b' }, annotations: { 'x/y': 'z' }, finalizers: ['a.b/c'] },
  spec: {
    containers: [
      { name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' } }, ports: [{ containerPort: 80 }] },
    ],
  },
};
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c' },
  data: { a: 'b' },
  binaryData: { c: 'ZA==' },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1, default: 3 },
                  name: { type: 'string', pattern: '^a+$' },
                },
                'x-kubernetes-validations': [{ rule: 'self.size > 1 || size(self.name) < 5' }],
              },
            },
          },
        },
      },
    ],
  },
};
const jsonPatch = [
  { op: 'replace', path: '/data/a', value: 'x' },
  { op: 'test', path: '/metadata/name', value: 'c' },
];

describe('requests to the API', () => {
  let server: ApiServer;
  const failures: unknown[] = [];
  beforeAll(async () => {
    server = await ApiServer.create({ onError: (error) => failures.push(error) });
  });
  afterAll(() => server.close());

  const user = { name: 'fuzz', groups: ['system:masters'] };
  const formats = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const patches = ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];
  const paths = [
    '/api/v1/namespaces/default/pods?fieldManager=f&fieldValidation=Strict',
    '/api/v1/namespaces/default/configmaps/c?force=true&fieldManager=f',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    '/apis/example.com/v1/namespaces/default/things?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0',
    '/api/v1/pods?labelSelector=a%20in%20(b,c),!d&fieldSelector=metadata.name%3Dx&resourceVersion=1&resourceVersionMatch=Exact',
    '/api/v1/namespaces/default/pods/p/log?tailLines=1&sinceSeconds=x',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/openapi/v3/api/v1?hash=x',
  ];

  it(`are answered with an object or a Status (${inputs} inputs, seed ${seed})`, { timeout }, async () => {
    const random = seededRandom(seed);
    const bodies = new Mutator(
      random,
      [pod, configMap, definition, jsonPatch].map((each) => JSON.stringify(each)),
    );
    const urls = new Mutator(random, paths);
    const types = new Mutator(random, [...formats, ...patches.map((name) => `application/${name}`)]);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random.next() * from.length)] as T;
    for (let round = 0; round < inputs; round++) {
      const method = pick(['GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE']);
      const url = random.next() < 0.4 ? urls.text() : pick(paths);
      const [path = '', query = ''] = url.split('?');
      const good = method === 'PATCH' ? `application/${pick(patches)}` : pick(formats);
      const body = bodies.next();
      const request = {
        method,
        path,
        query: new URLSearchParams(query),
        headers: { 'content-type': random.next() < 0.1 ? types.text() : good, accept: 'application/json' },
        user,
        ...(method === 'GET' ? {} : { body }),
      };
      const response = await timed(`${method} ${url} ${body.toString('latin1')}`, () => server.handle(request));
      if (response.type === 'watch') response.source.stop();
      if (response.type === 'object' && response.code >= 400)
        expect(response.object, `${method} ${url}`).toMatchObject({
          kind: 'Status',
          status: 'Failure',
          code: response.code,
        });
      expect(failures, `${method} ${url} ${good} ${body.toString('base64')}`).toEqual([]);
    }
  });
});

describe('documents', () => {
  it(`in YAML are read or refused with a place (${inputs} inputs)`, { timeout }, async () => {
    const corpus = [
      'a: &x {b: [1, 2.5, ~, "c\\u0041"]}\nc: *x\n---\nd: |\n  text\n  more\ne: >-\n  folded\n',
      '? complex\n: - 0x1F\n  - 1_000\n  - yes\n<<: {m: n}\n',
      JSON.stringify(pod),
    ];
    const mutator = new Mutator(seededRandom(seed), corpus);
    for (let round = 0; round < inputs; round++) {
      const text = mutator.text();
      await timed(text, () => {
        try {
          for (const document of parseYaml(text)) void document.value;
        } catch (error) {
          expect((error as Error).name, JSON.stringify(text)).toBe('YamlError');
        }
      });
    }
  });

  it(`that are kubeconfigs are read or refused by the name of their file (${inputs} inputs)`, { timeout }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tektite-fuzz-'));
    const file = join(folder, 'config');
    const good = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'YQ==' } }],
      users: [{ name: 'u', user: { token: 't', 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' } }],
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'n' } }],
    });
    const mutator = new Mutator(seededRandom(seed), [good]);
    try {
      for (let round = 0; round < inputs; round++) {
        const text = mutator.text();
        writeFileSync(file, text);
        await timed(text, async () => {
          try {
            await loadConfig({ kubeconfig: file });
          } catch (error) {
            expect(isClientError(error), `${text}\n${String(error)}`).toBe(true);
          }
        });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it(`that are names of images are read or refused (${inputs} inputs)`, { timeout }, async () => {
    const mutator = new Mutator(seededRandom(seed), [
      'registry.example:5000/a/b-c.d_e:v1.2@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'busybox',
    ]);
    for (let round = 0; round < inputs; round++) {
      const text = mutator.text();
      await timed(text, () => {
        try {
          parseImageReference(text);
        } catch (error) {
          expect((error as Error).constructor.name, text).not.toMatch(/^(TypeError|RangeError|ReferenceError)$/);
        }
      });
    }
  });
});

describe('archives', () => {
  const rounds = Math.ceil(inputs / 5);
  it(`leave nothing outside of their folder, and no link or device that leads there (${rounds} inputs)`, {
    timeout,
  }, async () => {
    const base = mkdtempSync(join(tmpdir(), 'tektite-fuzz-'));
    const inside = join(base, 'in');
    mkdirSync(join(inside, 'd'), { recursive: true });
    writeFileSync(join(inside, 'd', 'file'), 'content');
    writeFileSync(join(base, 'outside'), 'untouched');
    for (const args of [
      ['-cf', 'a.tar', '-C', 'in', '.'],
      ['-czf', 'a.tgz', '-C', 'in', '.'],
    ])
      expect(spawnSync('tar', args, { cwd: base }).status).toBe(0);
    spawnSync('ln', ['-s', '../../outside', join(inside, 'link')]);
    spawnSync('ln', [join(inside, 'd', 'file'), join(inside, 'hard')]);
    expect(spawnSync('tar', ['-cf', 'links.tar', '-C', 'in', '.'], { cwd: base }).status).toBe(0);
    const corpus = ['a.tar', 'a.tgz', 'links.tar'].map((name) => readFileSync(join(base, name)).subarray(0, 8192));
    const mutator = new Mutator(seededRandom(seed), corpus);
    try {
      for (let round = 0; round < rounds; round++) {
        const archive = join(base, 'x.tar');
        const target = join(base, 'target');
        mkdirSync(target);
        const bytes = mutator.next();
        writeFileSync(archive, bytes);
        await timed(bytes.toString('latin1'), () => unpackLayer(archive, target, 1024 ** 2).catch(() => []));
        expect(readdirSync(base).sort()).toEqual(['a.tar', 'a.tgz', 'in', 'links.tar', 'outside', 'target', 'x.tar']);
        expect(readFileSync(join(base, 'outside'), 'utf8')).toBe('untouched');
        rmSync(target, { recursive: true });
      }
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});
