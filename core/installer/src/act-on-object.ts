import { type Client, jsonPatch, type JsonPatchOperation, keyOf, ignoreNotFound } from '@tektite/client';
import { completeKeys, migrateFields, type ObjectReference, recreateReason } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { ObjectAction } from './decide-object.ts';
import type { InstallerDialect, Propagation } from './dialect.ts';
import type { FailureCause } from './phase-failure.ts';
import type { InstallMethod } from './method/install-method.ts';
import { readObject } from './read-object.ts';

/** The outcome for an object. */
export type ObjectOutcome =
  | { readonly done: true; readonly object?: DynamicObject; readonly change?: ChangeAction; readonly why?: string }
  | { readonly done: false; readonly cause: FailureCause; readonly message: string; readonly reason?: string };

export type ChangeAction = 'created' | 'changed' | 'recreated' | 'deleted' | 'released' | 'pruned';

/** Something that was done to an object. */
export interface ObjectChange {
  readonly object: ObjectReference;
  readonly action: ChangeAction;
  readonly why?: string;
}

interface Acting {
  readonly client: Client;
  readonly dialect: InstallerDialect;
  readonly method: InstallMethod;
  readonly prepared: DynamicObject;
  readonly live: DynamicObject | undefined;
  readonly signal?: AbortSignal;
}

/** Does what was decided about an object. Rejects with what the API said. */
export async function actOnObject(acting: Acting, action: ObjectAction): Promise<ObjectOutcome> {
  const { live } = acting;
  switch (action.type) {
    case 'none':
      return { done: true, ...(live ? { object: live } : {}) };
    case 'skip':
      return { done: true };
    case 'wait':
      return { done: false, cause: 'waiting', message: 'it is being deleted' };
    case 'refuse':
      return { done: false, cause: 'refused', ...action.denial };
    case 'stuck':
      return { done: false, cause: 'immutable', message: action.reason };
    case 'create':
      return { done: true, object: await create(acting), change: 'created' };
    case 'release':
      await release(acting);
      return { done: false, cause: 'waiting', message: 'it is being deleted; its finalizers were taken off' };
    case 'recreate':
      return recreate(acting, action.propagation, action.reason);
    case 'change':
      return change(acting, action);
  }
}

/** Fails on a concurrent creation. */
async function create({ client, dialect, method, prepared, signal }: Acting): Promise<DynamicObject> {
  const { fieldManager } = dialect;
  const call = { fieldManager, ...(signal ? { signal } : {}) };
  const made = await client.create(prepared, call);
  return method.remembersFields ? client.apply(completeKeys(prepared), { ...call, force: true }) : made;
}

async function change(acting: Acting, action: ObjectAction & { readonly type: 'change' }): Promise<ObjectOutcome> {
  const { client, dialect, prepared, signal } = acting;
  const { fieldManager } = dialect;
  const call = { fieldManager, ...(signal ? { signal } : {}) };
  const why = action.differences.map(({ path, why }) => (path ? `${path} (${why})` : why)).join(', ');
  let live = acting.live as DynamicObject;
  const patches = action.differences.flatMap(({ patch }) => patch ?? []);
  try {
    if (patches.length > 0) live = await client.patch(live, keyOf(live), jsonPatch([bound(live), ...patches]), call);
    // Who made the object by other means left fields that an apply could not remove.
    const migration = migrateFields(live, fieldManager, [fieldManager, ...(dialect.migrateFrom ?? [])]);
    if (migration) live = await client.patch(live, keyOf(live), migration, call);
    const metadata = { ...prepared.metadata, resourceVersion: live.metadata.resourceVersion ?? '' };
    return {
      done: true,
      object: await client.apply({ ...completeKeys(prepared), metadata }, { ...call, force: true }),
      change: 'changed',
      why,
    };
  } catch (error) {
    const reason = recreateReason(error);
    if (!reason) throw error;
    const propagation = dialect.recreate?.(prepared, live, reason);
    if (propagation) return recreate({ ...acting, live }, propagation, reason);
    return { done: false, cause: 'immutable', message: reason };
  }
}

/** A patch for this state of an object only: a conflict otherwise. */
function bound({ metadata }: DynamicObject): JsonPatchOperation {
  return { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion ?? '' };
}

/** Who is interrupted in between finds nothing the next time, and makes it. */
async function recreate(acting: Acting, propagation: Propagation, reason: string): Promise<ObjectOutcome> {
  const { client, live, signal } = acting;
  if (live) await deleteObject(client, live, propagation, signal);
  const left = live && (await readObject(client, live, signal));
  if (left && left.metadata.uid === live.metadata.uid)
    return { done: false, cause: 'waiting', message: `it is deleted to be recreated: ${reason}` };
  return { done: true, object: await create(acting), change: 'recreated', why: reason };
}

/** Deletes this object, and not another one of the same name. An object that is already deleted counts as deleted. */
export async function deleteObject(
  client: Client,
  live: DynamicObject,
  propagationPolicy: Propagation | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const { uid } = live.metadata;
  await client
    .delete(live, keyOf(live), {
      ...(propagationPolicy ? { propagationPolicy } : {}),
      ...(uid ? { preconditions: { uid } } : {}),
      ...(signal ? { signal } : {}),
    })
    .catch(ignoreNotFound);
}

async function release({ client, live, signal }: Acting): Promise<void> {
  if (!live) return;
  const patch = jsonPatch([bound(live), { op: 'replace', path: '/metadata/finalizers', value: [] }]);
  await client.patch(live, keyOf(live), patch, signal ? { signal } : {}).catch(ignoreNotFound);
}
