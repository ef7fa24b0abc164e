import type { Client } from '@tektite/client';
import { goJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import { controllerReference, type DynamicObject, isStatusError } from '@tektite/meta';
import { deleteObject } from '../act-on-object.ts';
import { InstallerError } from '../installer-error.ts';
import { readObject } from '../read-object.ts';
import { partLimitBytes, splitObjects } from './split-objects.ts';

/** Where sets of a kind keep their objects, and how their parts find each other. */
export interface PartsRule {
  /** On a set: the names of its further parts, in order. */
  readonly annotation: string;
  /** On a part: the name of its set. A set without it is no part. */
  readonly label: string;
  readonly objectsOf: (set: DynamicObject) => readonly DynamicObject[];
  readonly withObjects: (set: DynamicObject, objects: readonly DynamicObject[]) => DynamicObject;
  readonly limitBytes?: number;
}

/** A set as it is written: itself with what it can hold, and the rest. */
export interface PackedSet {
  readonly set: DynamicObject;
  readonly parts: readonly SetPart[];
}

export interface SetPart {
  readonly name: string;
  readonly objects: readonly DynamicObject[];
}

/**
 * Packs objects into a set, and the rest into parts. Pure. The names of parts are hashes of their content, so the same
 * set always has the same parts, and a changed one never changes a part that is in use.
 *
 * Write order: the set itself first when it is new, then {@link ensureParts}; for a change {@link ensureParts} first,
 * then the set, then {@link sweepParts}. A reader in between gets the previous state, or `PART_MISSING`.
 */
export function packSet(set: DynamicObject, objects: readonly DynamicObject[], rule: PartsRule): PackedSet {
  const [own = [], ...rest] = splitObjects(objects, rule.limitBytes ?? partLimitBytes);
  const parts = rest.map((part): SetPart => ({ name: `part-${sha256Hex(goJson(part)).slice(0, 20)}`, objects: part }));
  const { [rule.annotation]: _, ...others } = set.metadata.annotations ?? {};
  const names = parts.length === 0 ? {} : { [rule.annotation]: parts.map(({ name }) => name).join(',') };
  const metadata = { ...set.metadata, annotations: { ...others, ...names } };
  return { set: rule.withObjects({ ...set, metadata }, own), parts };
}

/** Whether this is a part of another set. */
export function isPart(set: Pick<DynamicObject, 'metadata'>, rule: PartsRule): boolean {
  return set.metadata.labels?.[rule.label] !== undefined;
}

/** The parts a set says it has, in order. */
function partNames(set: DynamicObject, rule: PartsRule): readonly string[] {
  return (set.metadata.annotations?.[rule.annotation] ?? '')
    .split(',')
    .filter((name) => name !== '')
    .map((name) => partName(set, name));
}

/** Sets of one kind share their names; parts are distinguished by their owner. */
function partName(set: DynamicObject, name: string): string {
  return `${(set.metadata.name ?? '').slice(0, 220)}-${name}`;
}

/** A name as far as a label can hold it; whose a part is, its owner says. */
function labelOf({ metadata }: DynamicObject): string {
  return (metadata.name ?? '').slice(0, 63).replace(/[^A-Za-z0-9]+$/, '');
}

/**
 * All objects of a set, including its parts. Rejects with `PART_MISSING` while one does not exist: its writer is not
 * done yet.
 */
export async function readParts(
  client: Client,
  set: DynamicObject,
  rule: PartsRule,
  signal?: AbortSignal,
): Promise<readonly DynamicObject[]> {
  const names = partNames(set, rule);
  if (names.length === 0) return rule.objectsOf(set);
  const parts = await Promise.all(names.map((name) => readObject(client, referenceTo(set, name), signal)));
  const missing = names.filter((_, index) => !parts[index] || parts[index].metadata.deletionTimestamp);
  if (missing.length > 0)
    throw new InstallerError('PART_MISSING', `the ${set.kind} ${set.metadata.name} waits for its part ${missing[0]}`);
  return [set, ...(parts as readonly DynamicObject[])].flatMap((part) => rule.objectsOf(part));
}

/** Makes the parts that are not there yet. `set` is the live one: it owns them. */
export async function ensureParts(
  client: Client,
  set: DynamicObject,
  parts: readonly SetPart[],
  rule: PartsRule,
  signal?: AbortSignal,
): Promise<void> {
  for (const { name, objects } of parts) {
    const full = partName(set, name);
    if (await readObject(client, referenceTo(set, full), signal)) continue;
    const metadata = {
      name: full,
      ...(set.metadata.namespace ? { namespace: set.metadata.namespace } : {}),
      labels: { [rule.label]: labelOf(set) },
      ownerReferences: [controllerReference(set)],
    };
    const { apiVersion, kind } = set;
    try {
      await client.create(rule.withObjects({ apiVersion, kind, metadata }, objects), signal ? { signal } : {});
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }
}

/** Deletes parts that the set does not name any more. */
export async function sweepParts(
  client: Client,
  set: DynamicObject,
  rule: PartsRule,
  signal?: AbortSignal,
): Promise<void> {
  const { apiVersion, kind, metadata } = set;
  const kept = new Set(partNames(set, rule));
  const { items } = await client.list(
    { apiVersion, kind },
    {
      labelSelector: `${rule.label}=${labelOf(set)}`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      ...(signal ? { signal } : {}),
    },
  );
  for (const part of items) {
    const ours = part.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid);
    if (ours && !kept.has(part.metadata.name ?? '')) await deleteObject(client, part, 'Background', signal);
  }
}

function referenceTo({ apiVersion, kind, metadata }: DynamicObject, name: string) {
  return { apiVersion, kind, name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
}
