import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, keyOf } from '@tektite/client';
import { loadManifest, type Manifest } from '@tektite/manifest';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import type { InstallerDialect } from '../dialect.ts';
import { connectorsDialect, connectorsHash, tektonDialect } from '../dialects/test-support.ts';

const run = promisify(execFile);
const payload = new URL('../../../../../shared/data/payload/', import.meta.url).pathname;

/** Whether the release files are there. */
export const hasReleases: boolean = existsSync(payload);
export const hasKubectl: boolean = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);

export const dialects: readonly (readonly [string, InstallerDialect])[] = [
  ['tekton', tektonDialect],
  ['connectors', connectorsDialect],
];

/** The upgrades and downgrades that are tried. */
export const changes = [
  ['tekton-pipeline', 'v1.14.1', 'v1.15.0'],
  ['tekton-pipeline', 'v1.15.0', 'v1.14.1'],
  ['tekton-trigger', 'v0.36.0', 'v0.37.0'],
] as const;

const fileOf = (path: string) => `${payload}${path}/release.yaml`;

export function release(path: string): Promise<Manifest> {
  return loadManifest({ kind: 'path', path: fileOf(path) });
}

export async function objectsOf(path: string): Promise<readonly DynamicObject[]> {
  return (await release(path)).objects;
}

export async function live(client: Client, object: DynamicObject): Promise<DynamicObject | undefined> {
  return await client.getOrUndefined(object, keyOf(object));
}

/** Objects as they are live, without what is of no interest; undefined for what is not there. */
export async function readAll(client: Client, objects: readonly DynamicObject[]): Promise<readonly unknown[]> {
  const found = await Promise.all(objects.map((object) => live(client, object)));
  return found.map((object) => object && shown(object));
}

/** An object without what the server, a tool or a controller wrote for itself. */
function shown({ status: _, metadata, ...rest }: DynamicObject): unknown {
  const { name, namespace, labels, annotations = {} } = metadata;
  const tools = [
    connectorsHash,
    'operator.tekton.dev/last-applied-hash',
    'kubectl.kubernetes.io/last-applied-configuration',
    'deployment.kubernetes.io/revision',
  ];
  const own = Object.entries(annotations).filter(([key]) => !tools.includes(key));
  const text = JSON.stringify(
    { ...rest, metadata: { name, namespace, labels, annotations: Object.fromEntries(own) } },
    // Addresses are the server's choice.
    (key, value: unknown) => (key === 'clusterIP' || key === 'clusterIPs' ? undefined : value),
  );
  return JSON.parse(text);
}

/**
 * Applies release files with kubectl, one after the other. It does not wait for definitions, so what failed is applied once more; what
 * fails again, an old server refuses.
 */
export async function kubectlChange(cluster: Cluster, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await kubectlApply(cluster, path).catch(() => kubectlApply(cluster, path).catch(() => undefined));
}

async function isRefused(client: Client, object: DynamicObject): Promise<boolean> {
  try {
    await client.create(object, { dryRun: true });
    return false;
  } catch (error) {
    return isStatusError(error, 'Invalid');
  }
}

/** Without definitions that the server is too old for. */
export async function accepted(client: Client, objects: readonly DynamicObject[]): Promise<readonly DynamicObject[]> {
  const good: DynamicObject[] = [];
  for (const object of objects) {
    if (object.kind !== 'CustomResourceDefinition' || !(await isRefused(client, object))) good.push(object);
  }
  return good;
}

/** The prerequisites of a component. */
export function needs(component: string): readonly string[] {
  return component === 'tekton-pipeline' ? [] : ['tekton-pipeline/v1.15.0'];
}

async function kubectlApply(cluster: Cluster, path: string): Promise<void> {
  const { config } = await cluster.https();
  const { clientCertificate } = (await config.credentials?.current()) ?? {};
  const encode = (text = '') => Buffer.from(text).toString('base64');
  const folder = await mkdtemp(join(tmpdir(), 'tektite-kubectl-'));
  try {
    const server = { server: config.server, 'certificate-authority-data': encode(config.certificateAuthority) };
    const user = {
      'client-certificate-data': encode(clientCertificate?.certificate),
      'client-key-data': encode(clientCertificate?.key),
    };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: server }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const file = join(folder, 'config');
    await writeFile(file, JSON.stringify(kubeconfig));
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: file };
    await run('kubectl', ['apply', '-f', fileOf(path)], { env, maxBuffer: 1e8 });
  } finally {
    await rm(folder, { recursive: true });
  }
}
