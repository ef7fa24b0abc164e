import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { injectNamespace, loadManifest, rewriteImages, setLabels } from '@tektite/manifest';
import { startServer, token } from '../server-process.ts';
import { printTable, type Row } from '../table.ts';

const repository = new URL('../../..', import.meta.url).pathname;
const bin = join(repository, 'apps/cli/bin/tektite.js');
const releases = join(repository, '../shared/data/payload/tekton-pipeline');
const release = join(releases, 'v1.15.0/release.yaml');
const older = join(releases, 'v1.14.1/release.yaml');

/** Manifests as a user applies them, beside kubectl on the same server. */
export async function benchManifest({ quick }: { quick: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  try {
    const ok: boolean[] = [];
    if (existsSync(release)) {
      ok.push(printTable('the Tekton release: 75 objects, 1.6 MB', await benchFile(release, folder, quick ? 1 : 3)));
    } else console.log('the Tekton release is not in ../shared: its figures are left out');
    const count = quick ? 1_000 : 10_000;
    const many = join(folder, 'many.yaml');
    await writeFile(many, configMaps(count));
    ok.push(printTable(`${count} ConfigMaps`, await benchMany(many, count, folder)));
    process.exitCode = ok.every(Boolean) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function configMaps(count: number): string {
  const documents = Array.from({ length: count }, (_, index) =>
    [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      `  name: map-${index}`,
      '  namespace: default',
      '  labels: {app: bench}',
      'data:',
      `  index: "${index}"`,
      '  text: |',
      '    some lines',
      '    of text',
    ].join('\n'),
  );
  return `${documents.join('\n---\n')}\n`;
}

interface Tools {
  tektite(...args: readonly string[]): number;
  kubectl(...args: readonly string[]): number;
  megabytes(): Promise<number>;
}

/** Both commands on a new server. */
async function onServer<T>(folder: string, work: (tools: Tools) => Promise<T> | T): Promise<T> {
  const server = await startServer({ flags: ['--in-memory'] });
  const kubeconfig = join(folder, 'kubeconfig.json');
  const cluster = { server: server.address, 'insecure-skip-tls-verify': true };
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token } }],
  };
  await writeFile(kubeconfig, JSON.stringify(content));
  const run = (command: string, args: readonly string[]) => {
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig };
    const began = performance.now();
    const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8', maxBuffer: 1e9 });
    const took = performance.now() - began;
    if (status !== 0 && status !== 2) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
    return took;
  };
  try {
    return await work({
      tektite: (...args) => run(process.execPath, [bin, ...args]),
      kubectl: (...args) => run('kubectl', args),
      megabytes: () => server.residentMegabytes(),
    });
  } finally {
    await server.stop();
  }
}

type Figures = Record<'install' | 'upgrade' | 'again', number[]>;

async function benchFile(file: string, folder: string, rounds: number): Promise<Row[]> {
  const inside = await insideFigures(file);
  const ours: Figures & { plan: number[] } = { install: [], upgrade: [], again: [], plan: [] };
  const theirs: Figures = { install: [], upgrade: [], again: [] };
  const measure = (figures: Figures, apply: (file: string) => number) => {
    figures.install.push(apply(older));
    figures.upgrade.push(apply(file));
    figures.again.push(apply(file));
  };
  for (let round = 0; round < rounds; round++) {
    // A server that has never seen the kinds is slower: each tool gets a new one, and meets it the same way.
    await onServer(folder, ({ tektite, kubectl }) => {
      kubectl('get', 'namespaces');
      measure(ours, (each) => tektite('apply', '-f', each));
      ours.plan.push(tektite('plan', '-f', file));
    });
    await onServer(folder, ({ kubectl }) => {
      kubectl('get', 'namespaces');
      measure(theirs, (each) => kubectl('apply', '-f', each));
    });
  }
  const best = (values: readonly number[]) => Math.min(...values);
  const row = (what: string, key: keyof Figures): Row => ({
    what,
    value: best(ours[key]),
    unit: 'ms',
    reference: best(theirs[key]),
  });
  return [
    ...inside,
    row('tektite apply, the release before, to a new server', 'install'),
    row('tektite apply, upgrade to the release', 'upgrade'),
    row('tektite apply, nothing to do', 'again'),
    { what: 'tektite plan', value: best(ours.plan), unit: 'ms' },
    faster('times faster than kubectl apply: to a new server', best(theirs.install) / best(ours.install), 3),
    faster('times faster than kubectl apply: upgrade', best(theirs.upgrade) / best(ours.upgrade), 3),
    faster('times faster than kubectl apply: nothing to do', best(theirs.again) / best(ours.again), 3),
  ];
}

function faster(what: string, value: number, target: number): Row {
  return { what, value, unit: '×', target: { value: target, better: 'more' } };
}

async function insideFigures(file: string): Promise<Row[]> {
  let began = performance.now();
  const lap = () => {
    const took = performance.now() - began;
    began = performance.now();
    return took;
  };
  const manifest = await loadManifest({ kind: 'path', path: file });
  const parse = lap();
  manifest.transform(
    injectNamespace('elsewhere'),
    rewriteImages('registry.example.com/mirror'),
    setLabels({ team: 'a' }),
  );
  const transform = lap();
  return [
    { what: 'parse', value: parse, unit: 'ms' },
    { what: 'transform: namespace, images, labels', value: transform, unit: 'ms' },
  ];
}

async function benchMany(file: string, count: number, folder: string): Promise<Row[]> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const inside = await insideFigures(file);
  const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
  const [apply, again, plan] = await onServer(folder, ({ tektite }) => [
    tektite('apply', '-f', file, '--concurrency', '16', '-o', 'json'),
    tektite('apply', '-f', file, '--concurrency', '16', '-o', 'json'),
    tektite('plan', '-f', file, '-o', 'json'),
  ]);
  // kubectl asks for 50 requests a second at most: a part is enough to know its pace.
  const part = Math.min(count, 500);
  const some = join(folder, 'some.yaml');
  await writeFile(some, configMaps(part));
  const theirs = await onServer(folder, ({ kubectl }) => kubectl('apply', '-f', some));
  const rate = (objects: number, ms: number) => (objects / ms) * 1000;
  return [
    ...inside,
    { what: 'memory for parsing and transforming', value: grown, unit: 'MB', target: { value: 300, better: 'less' } },
    { what: 'tektite apply', value: rate(count, apply ?? 0), unit: 'objects/s', reference: rate(part, theirs) },
    { what: 'tektite apply, nothing to do', value: rate(count, again ?? 0), unit: 'objects/s' },
    { what: 'tektite plan', value: rate(count, plan ?? 0), unit: 'objects/s' },
    faster('times faster than kubectl apply', rate(count, apply ?? 0) / rate(part, theirs), 3),
  ];
}
