import { gunzipSync, gzipSync } from 'node:zlib';
import { type Client, kinds, ignoreNotFound } from '@tektite/client';
import { cloneJson, type DynamicObject, formatTime, parseJson, stringifyJson } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { type ApplySet, applySetId } from '../set/apply-set.ts';
import { mappingAt } from '../field-value.ts';
import { sha256Hex } from '../hash/canonical-hash.ts';
import { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, referenceTo } from '../object-identity.ts';
import type { ManifestItem } from '../origin.ts';
import { redactSecret } from '../redact-secret.ts';

const historyLabel = 'tektite.dev/history-of';
const revisionLabel = 'tektite.dev/revision';
const headAnnotation = 'tektite.dev/revision-head';

/** One apply of a set. */
export interface Revision {
  readonly revision: number;
  readonly appliedAt: string;
  /** How many objects the manifest had. */
  readonly objects: number;
  /** The summary of the changes: `3 created, 2 pruned`, or `rollback to 4`. */
  readonly summary: string;
  readonly sources: readonly string[];
  readonly sha256: string;
}

interface Head extends Revision {
  readonly parts: number;
}

export interface RecordOptions {
  readonly summary: string;
  /** How many revisions are kept. Default 10. */
  readonly keep?: number;
  readonly signal?: AbortSignal;
}

/** The size limit of a ConfigMap, with room for the rest of it. */
const partBytes = 700 * 1024;
const maxParts = 32;
const maxUnpackedBytes = 512 * 1024 * 1024;

/**
 * Keeps what was applied as the newest revision of a set, packed, in ConfigMaps beside its parent; the oldest go. Values of Secrets
 * are not kept. The same manifest applied again is no new revision. Returns the number of the revision.
 *
 * The parts are written before the head that names them: who is interrupted leaves no half revision.
 */
export async function recordRevision(
  client: Client,
  set: ApplySet,
  manifest: Manifest,
  options: RecordOptions,
): Promise<number> {
  const text = stringifyJson(manifest.items.map(recorded));
  const sha256 = sha256Hex(text);
  const all = await historyObjects(client, set, options.signal);
  const heads = headsOf(all);
  const last = heads.at(-1);
  if (last?.sha256 === sha256) return last.revision;
  const packed = gzipSync(text);
  const parts = Math.ceil(packed.length / partBytes);
  if (parts > maxParts)
    throw new ManifestError('HISTORY', `the manifest is too large to be kept: ${packed.length} bytes when packed`);
  const revision = Math.max(0, ...all.map(numberOf)) + 1;
  const head: Head = {
    revision,
    appliedAt: formatTime(client.clock.now()),
    objects: manifest.size,
    summary: options.summary,
    sources: [...new Set(manifest.items.map(({ origin }) => origin.source))].slice(0, 20),
    sha256,
    parts,
  };
  for (let part = parts - 1; part >= 0; part--) {
    const content = packed.subarray(part * partBytes, (part + 1) * partBytes);
    await client.create(
      kinds.ConfigMap,
      partObject(set, head, part, content),
      options.signal ? { signal: options.signal } : {},
    );
  }
  const { keep = 10 } = options;
  const olderKept = keep > 1 ? heads.map((each) => each.revision).slice(1 - keep) : [];
  await forget(client, all, new Set(olderKept));
  return revision;
}

/** The revisions of a set, oldest first. */
export async function listRevisions(client: Client, set: ApplySet, signal?: AbortSignal): Promise<readonly Revision[]> {
  return headsOf(await historyObjects(client, set, signal)).map(({ parts: _, ...revision }) => revision);
}

/** The applied manifest of a revision, without the values of Secrets; without a number, of the one before the last. */
export async function readRevision(
  client: Client,
  set: ApplySet,
  wanted?: number,
  signal?: AbortSignal,
): Promise<{ readonly revision: Revision; readonly manifest: Manifest }> {
  const objects = await historyObjects(client, set, signal);
  const heads = headsOf(objects);
  const head = wanted === undefined ? heads.at(-2) : heads.find(({ revision }) => revision === wanted);
  if (!head) {
    const known = heads.map(({ revision }) => revision).join(', ') || 'none';
    const what = wanted === undefined ? 'no revision before the last' : `no revision ${wanted}`;
    throw new ManifestError('HISTORY', `the set ${set.name} has ${what}; there are: ${known}`);
  }
  const contents: Buffer[] = [];
  for (let part = 0; part < head.parts; part++) {
    const name = partName(set, head.revision, part);
    const content = objects.find(({ metadata }) => metadata.name === name)?.binaryData?.content;
    if (content === undefined) throw new ManifestError('HISTORY', `configmap ${set.namespace}/${name} is missing`);
    contents.push(Buffer.from(content, 'base64'));
  }
  const text = gunzipSync(Buffer.concat(contents), { maxOutputLength: maxUnpackedBytes }).toString('utf8');
  if (sha256Hex(text) !== head.sha256)
    throw new ManifestError(
      'HISTORY',
      `revision ${head.revision} of the set ${set.name} was changed by another client`,
    );
  const { parts: _, ...revision } = head;
  return { revision, manifest: new Manifest(parseJson(text) as ManifestItem[]) };
}

/** The manifest of a revision as it can be applied again: Secrets have the values that they have now. */
export async function revisionManifest(client: Client, manifest: Manifest, namespace: string): Promise<Manifest> {
  const missing: string[] = [];
  const items: ManifestItem[] = [];
  for (const item of manifest.items) {
    if (!isSecret(item.object)) {
      items.push(item);
      continue;
    }
    const reference = { ...referenceTo(item.object), namespace: item.object.metadata.namespace ?? namespace };
    const live = await client.getOrUndefined(kinds.Secret, reference);
    if (!live) missing.push(describeObject(reference));
    else items.push({ ...item, object: withValues(item.object, live.data ?? {}) });
  }
  if (missing.length === 0) return new Manifest(items);
  throw new ManifestError(
    'HISTORY',
    `values of Secrets are not kept, and these do not exist: ${missing.join(', ')}; create them first`,
    { details: { missing } },
  );
}

function isSecret({ apiVersion, kind }: DynamicObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

function recorded({ object, origin }: ManifestItem): ManifestItem {
  return { object: isSecret(object) ? redactSecret(object) : object, origin };
}

function withValues(secret: DynamicObject, values: Readonly<Record<string, string>>): DynamicObject {
  const copy = cloneJson(secret);
  const keys = [...Object.keys(mappingAt(secret, 'data') ?? {}), ...Object.keys(mappingAt(secret, 'stringData') ?? {})];
  delete copy.stringData;
  copy.data = Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(values, key) ? [[key, values[key]]] : [])));
  return copy as DynamicObject;
}

async function historyObjects(client: Client, set: ApplySet, signal?: AbortSignal): Promise<readonly ConfigMap[]> {
  const found: ConfigMap[] = [];
  const selection = { namespace: homeOf(set), labelSelector: `${historyLabel}=${applySetId(set)}` };
  for await (const object of client.listAll(kinds.ConfigMap, { ...selection, ...(signal ? { signal } : {}) }))
    found.push(object);
  return found;
}

/** Of a set whose parent is in no namespace, the history is in the default one. */
function homeOf(set: ApplySet): string {
  return set.namespace || 'default';
}

function headsOf(objects: readonly ConfigMap[]): Head[] {
  const heads: Head[] = [];
  for (const { metadata } of objects) {
    const text = metadata?.annotations?.[headAnnotation];
    if (text === undefined) continue;
    try {
      heads.push(JSON.parse(text) as Head);
    } catch {
      // Edited by a user; an unreadable entry is no revision.
    }
  }
  return heads.sort((a, b) => a.revision - b.revision);
}

function numberOf({ metadata }: ConfigMap): number {
  return Number(metadata?.labels?.[revisionLabel] ?? 0) || 0;
}

function partName(set: ApplySet, revision: number, part: number): string {
  return `${set.name}.v${revision}${part === 0 ? '' : `.${part}`}`;
}

function partObject(set: ApplySet, head: Head, part: number, content: Buffer): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: partName(set, head.revision, part),
      namespace: homeOf(set),
      labels: { [historyLabel]: applySetId(set), [revisionLabel]: String(head.revision) },
      ...(part === 0 ? { annotations: { [headAnnotation]: JSON.stringify(head) } } : {}),
    },
    immutable: true,
    binaryData: { content: content.toString('base64') },
  };
}

/** Deletes what is of none of the kept revisions, parts without a head included. */
async function forget(client: Client, objects: readonly ConfigMap[], kept: ReadonlySet<number>): Promise<void> {
  for (const object of objects) {
    if (kept.has(numberOf(object))) continue;
    const { namespace = '', name = '' } = object.metadata ?? {};
    await client.delete(kinds.ConfigMap, { namespace, name }).catch(ignoreNotFound);
  }
}
