import { type Client, isClientError, keyOf, ignoreNotFound } from '@tektite/client';
import { type DynamicObject, equalJson, isStatusError, sleep } from '@tektite/meta';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, groupKindOf } from '../object-identity.ts';
import type { ApplyAction } from './apply-result.ts';
import { completeKeys } from './complete-keys.ts';
import { conflictsOf, recreateReason } from './explain-failure.ts';
import { migrateFields } from './migrate-fields.ts';

export interface ApplyObjectOptions {
  readonly fieldManager: string;
  /** Take over every field that others own. */
  readonly force: boolean;
  /** Take over these fields, and what is below them: `.spec.replicas`. */
  readonly forceFields: readonly string[];
  /** Kinds (`Job`, `Job.batch` or `*`) that may be deleted and recreated when a change cannot be made otherwise. */
  readonly recreate: readonly string[];
  readonly mode: 'server' | 'createOnly' | 'replace';
  readonly dryRun: boolean;
  /** Whether the object cannot exist: its namespace or its kind was created just now. Then it is not read. */
  readonly isNew?: boolean;
  /** Whether nothing but the metadata of what was applied is of interest. */
  readonly metadataOnly: boolean;
  /** Managers whose fields are handed over first. */
  readonly migrateFrom?: readonly string[];
  /** How long to wait for an object that is being deleted. */
  readonly goneTimeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface AppliedObject {
  readonly action: ApplyAction;
  readonly object: DynamicObject;
  readonly reason?: string;
}

const attempts = 5;
const pauseMs = 100;

/** Makes one object what the manifest says. Rejects with what the server said. */
export async function applyObject(
  client: Client,
  object: DynamicObject,
  options: ApplyObjectOptions,
): Promise<AppliedObject> {
  const { fieldManager, dryRun, mode } = options;
  const call = { ...(options.signal ? { signal: options.signal } : {}), ...(dryRun ? { dryRun } : {}) };
  if (!object.metadata.name)
    return { action: 'created', object: await client.create(object, { ...call, fieldManager }) };
  const metadataOnly = options.metadataOnly && !dryRun;
  if (options.isNew && !dryRun && mode === 'server') {
    try {
      return { action: 'created', object: await serverSideApply(client, object, options, { ...call, metadataOnly }) };
    } catch (error) {
      // A concurrent creation: continue as with any existing object.
      if (conflictsOf(error).length === 0 && !recreateReason(error)) throw error;
    }
  }
  let live = await read(client, object, { ...options, metadataOnly });
  if (live?.metadata.deletionTimestamp && !dryRun) {
    await waitUntilDeleted(client, live, options);
    live = undefined;
  }
  if (live && mode === 'createOnly') return { action: 'skipped', object: live, reason: 'it is there already' };
  if (live && mode === 'replace') return recreate(client, object, live, options, 'it is to be replaced');
  try {
    if (live) await migrate(client, live, options, call);
    const after = await serverSideApply(client, object, options, { ...call, metadataOnly });
    return { action: actionOf(live, after, dryRun), object: after };
  } catch (error) {
    const reason = live && recreateReason(error);
    if (!live || !reason || !mayRecreate(object, options.recreate)) throw error;
    return recreate(client, object, live, options, reason);
  }
}

/** The object as the server has it; undefined when there is none. */
export async function read(
  client: Client,
  object: DynamicObject,
  options: { readonly signal?: AbortSignal; readonly metadataOnly?: boolean },
): Promise<DynamicObject | undefined> {
  const { signal, metadataOnly = false } = options;
  return await client.getOrUndefined(object, keyOf(object), { metadataOnly, ...(signal ? { signal } : {}) });
}

type Call = { readonly signal?: AbortSignal; readonly dryRun?: boolean; readonly metadataOnly?: boolean };

async function serverSideApply(
  client: Client,
  object: DynamicObject,
  options: ApplyObjectOptions,
  call: Call,
): Promise<DynamicObject> {
  const { fieldManager, forceFields } = options;
  const complete = completeKeys(object);
  let { force } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.apply(complete, { ...call, fieldManager, force });
    } catch (error) {
      const conflicts = conflictsOf(error);
      if (conflicts.length > 0) {
        if (force || !conflicts.every(({ field }) => forceFields.some((wanted) => isWithin(field, wanted))))
          throw error;
        force = true;
        continue;
      }
      if (!isPassing(error) || attempt === attempts) throw error;
      await sleep(client.clock, pauseMs * attempt, call.signal);
    }
  }
}

/** Other writers got in between, or the answer got lost: an apply says what is wanted, so it can be said again. */
function isPassing(error: unknown): boolean {
  return isStatusError(error, 'Conflict') || isClientError(error, 'CONNECTION_RESET', 'CONNECTION_REFUSED', 'TIMEOUT');
}

function isWithin(field: string, wanted: string): boolean {
  const prefix = wanted.startsWith('.') ? wanted : `.${wanted}`;
  return field === prefix || field.startsWith(`${prefix}.`) || field.startsWith(`${prefix}[`);
}

async function migrate(
  client: Client,
  live: DynamicObject,
  { fieldManager, migrateFrom }: ApplyObjectOptions,
  call: Call,
): Promise<void> {
  const patch = migrateFields(live, fieldManager, migrateFrom);
  if (patch) await client.patch(live, keyOf(live), patch, call);
}

function actionOf(live: DynamicObject | undefined, after: DynamicObject, dryRun: boolean): ApplyAction {
  if (!live || live.metadata.uid !== after.metadata.uid) return 'created';
  if (!dryRun) return live.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
  return equalJson(content(live), content(after)) ? 'unchanged' : 'configured';
}

function content(object: DynamicObject): object {
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function mayRecreate(object: DynamicObject, kinds: readonly string[]): boolean {
  return kinds.some((kind) => kind === '*' || kind === object.kind || kind === groupKindOf(object));
}

/** Deletes and recreates. After an interruption in between, the next run finds nothing, and creates it. */
async function recreate(
  client: Client,
  object: DynamicObject,
  live: DynamicObject,
  options: ApplyObjectOptions,
  reason: string,
): Promise<AppliedObject> {
  const { signal, fieldManager, dryRun } = options;
  if (dryRun) return { action: 'recreated', object: live, reason };
  const { uid } = live.metadata;
  await client
    .delete(live, keyOf(live), {
      propagationPolicy: 'Background',
      ...(uid ? { preconditions: { uid } } : {}),
      ...(signal ? { signal } : {}),
    })
    .catch(ignoreNotFound);
  await waitUntilDeleted(client, live, options);
  const made = await client.apply(completeKeys(object), { fieldManager, force: true, ...(signal ? { signal } : {}) });
  return { action: 'recreated', object: made, reason };
}

async function waitUntilDeleted(client: Client, live: DynamicObject, options: ApplyObjectOptions): Promise<void> {
  const until = client.clock.monotonic() + options.goneTimeoutMs;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
    const now = await read(client, live, options);
    if (!now || now.metadata.uid !== live.metadata.uid) return;
    if (client.clock.monotonic() >= until) {
      const finalizers = now.metadata.finalizers ?? [];
      const why = finalizers.length > 0 ? `, held by the finalizers ${finalizers.join(', ')}` : '';
      throw new ManifestError('TIMEOUT', `${describeObject(live)}: it is still being deleted${why}`, {
        details: { finalizers },
      });
    }
    await sleep(client.clock, wait, options.signal);
  }
}
