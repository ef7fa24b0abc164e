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
const release = join(repository, '../shared/data/payload/tekton-pipeline/v1.15.0/release.yaml');

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
  const server = await startServer(['--in-memory']);
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

async function benchFile(file: string, folder: string, rounds: number): Promise<Row[]> {
  const inside = await insideFigures(file);
  const figures = {
    ours: [] as number[],
    theirs: [] as number[],
    again: [] as number[],
    theirAgain: [] as number[],
    plan: [] as number[],
  };
  for (let round = 0; round < rounds; round++) {
    // A server that has never seen the kinds is slower: each tool gets a new one, and meets it the same way.
    await onServer(folder, ({ tektite, kubectl }) => {
      kubectl('get', 'namespaces');
      figures.ours.push(tektite('apply', '-f', file));
      figures.again.push(tektite('apply', '-f', file));
      figures.plan.push(tektite('plan', '-f', file));
    });
    await onServer(folder, ({ kubectl }) => {
      kubectl('get', 'namespaces');
      figures.theirs.push(kubectl('apply', '-f', file));
      figures.theirAgain.push(kubectl('apply', '-f', file));
    });
  }
  const best = (values: readonly number[]) => Math.min(...values);
  return [
    ...inside,
    { what: 'tektite apply, to a new server', value: best(figures.ours), unit: 'ms', reference: best(figures.theirs) },
    {
      what: 'tektite apply, nothing to do',
      value: best(figures.again),
      unit: 'ms',
      reference: best(figures.theirAgain),
    },
    { what: 'tektite plan', value: best(figures.plan), unit: 'ms', reference: best(figures.theirAgain) },
    faster('times faster than kubectl apply', best(figures.theirs) / best(figures.ours), 3),
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
