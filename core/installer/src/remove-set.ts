import { type Client, isClientError } from '@tektite/client';
import { done, failed, requeueAfter, type Result } from '@tektite/controller';
import { describeObject, type ObjectReference, referenceTo } from '@tektite/manifest';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import { deleteObject } from './act-on-object.ts';
import type { InstallerDialect, RemovalStep } from './dialect.ts';
import type { InstallerSet } from './installer-set.ts';
import { entryKey, entryReference, objectKey } from './inventory.ts';
import { readObject } from './read-object.ts';
import { setScopes } from './set-scopes.ts';

export interface RemovalReport {
  /** Nothing is left to do: the finalizer may go. */
  readonly done: boolean;
  /** Deleted by this run. */
  readonly deleted: readonly ObjectReference[];
  /** Still there, though they were deleted. */
  readonly left: readonly ObjectReference[];
  /** For the finalizer to return. */
  readonly result: Result;
}

/**
 * Deletes what a set made, step by step; kinds that the dialect keeps stay. What is not there, or of a kind that the server does not
 * know, counts as deleted, so nothing but the API itself can hold it up.
 *
 * @example
 * finalizer: {
 *   name: 'installmanifests.operator.connectors.alauda.io',
 *   cleanup: async (set, { client }) => (await removeSet(client, { self: set, objects, inventory }, dialect)).result,
 * }
 */
export async function removeSet(
  client: Client,
  set: InstallerSet,
  dialect: InstallerDialect,
  options: { readonly signal?: AbortSignal } = {},
): Promise<RemovalReport> {
  const { removal } = dialect;
  const objects = removable(set, dialect);
  const scopeOf = await setScopes(client, objects);
  const deleted: ObjectReference[] = [];
  const left: ObjectReference[] = [];
  const handled = new Set<DynamicObject>();
  try {
    for (const step of removal.steps) {
      const own = objects.filter((object) => !handled.has(object) && step.accepts(object, scopeOf(object)));
      for (const object of inOrder(own, step)) {
        options.signal?.throwIfAborted();
        handled.add(object);
        const live = await readLive(client, placed(object, scopeOf(object)), dialect, options.signal);
        if (!live || !(removal.mayDelete?.(live, set.self) ?? true)) continue;
        if (!live.metadata.deletionTimestamp) {
          await deleteObject(client, live, step.propagation, options.signal);
          deleted.push(referenceTo(live));
        }
        if (removal.waitUntilDeleted) left.push(referenceTo(live));
      }
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isStatusError(error) && !isClientError(error)) throw error;
    return { done: false, deleted, left, result: failed(error) };
  }
  const still = await stillThere(client, left, options.signal);
  if (still.length === 0) return { done: true, deleted, left: [], result: done };
  const pause = removal.requeueMs ?? dialect.requeueMs ?? 10_000;
  return { done: false, deleted, left: still, result: requeueAfter(pause) };
}

/** Describes the remaining objects. */
export function describeLeft(left: readonly ObjectReference[]): string {
  const [first, ...others] = left.map(describeObject);
  return others.length > 0 ? `${first} and ${others.length} more` : (first ?? 'nothing');
}

/** All that the set names or ever made, without what is kept. */
function removable(
  { objects, inventory = [] }: InstallerSet,
  { keptKinds }: InstallerDialect,
): readonly DynamicObject[] {
  const named = new Set(objects.map(objectKey));
  const made = inventory
    .filter((entry) => !named.has(entryKey(entry)))
    .map((entry): DynamicObject => {
      const { apiVersion, kind, ...metadata } = entryReference(entry);
      return { apiVersion, kind, metadata };
    });
  return [...objects, ...made].filter(({ kind, metadata }) => metadata.name && !keptKinds.includes(kind));
}

function inOrder(objects: readonly DynamicObject[], { order = 'reversed' }: RemovalStep): readonly DynamicObject[] {
  return order === 'reversed' ? objects.toReversed() : objects;
}

function placed(object: DynamicObject, scope: 'Namespaced' | 'Cluster' | undefined): ObjectReference {
  const { namespace: _, ...rest } = referenceTo(object);
  return scope === 'Cluster' ? rest : referenceTo(object);
}

async function readLive(
  client: Client,
  reference: ObjectReference,
  { removal }: InstallerDialect,
  signal?: AbortSignal,
): Promise<DynamicObject | undefined> {
  try {
    return await readObject(client, reference, signal);
  } catch (error) {
    // Without its definition, a kind has no objects.
    if (isClientError(error, 'UNKNOWN_KIND') || removal.onReadFailure === 'skip') return undefined;
    throw error;
  }
}

async function stillThere(
  client: Client,
  left: readonly ObjectReference[],
  signal?: AbortSignal,
): Promise<readonly ObjectReference[]> {
  const found = await Promise.all(
    left.map(async (reference) => {
      try {
        return (await readObject(client, reference, signal)) ? [reference] : [];
      } catch {
        signal?.throwIfAborted();
        return [reference];
      }
    }),
  );
  return found.flat();
}
