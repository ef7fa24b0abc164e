import {
  cloneJson,
  conflictError,
  equalJson,
  formatTime,
  isStatusError,
  type KubeObject,
  notFoundError,
} from '@tektite/meta';
import type { AdmissionRequest } from '../admission/admission.ts';
import { updateManagedFields } from '../apply/field-manager.ts';
import { RevisionMismatchError, type StoredEntry } from '../storage/storage.ts';
import { admissionRequest, inView } from './admission-requests.ts';
import { changesInVersions } from './changes-in-versions.ts';
import {
  afterMutation,
  checkNamespace,
  dedupOwnerReferences,
  keepAllButStatus,
  keepManagedFields,
  keepSystemMetadata,
  metadataOf,
  setManagedFields,
} from './draft-metadata.ts';
import { equalButForTimes } from './equal-but-for-times.ts';
import { KeyTurns } from './key-turns.ts';
import { validateChangedObject } from '../registry/kinds/validate-object.ts';
import { managedResource } from './managed-resource.ts';
import type { ObjectCreator } from './object-creator.ts';
import { checkPreconditions, checkUid, checkVersionSyntax, isReadyToGo, refuseInvalid } from './preconditions.ts';
import { type Draft, errorTarget, type Resource, storageKey } from '../registry/resource.ts';
import type { ObjectStoreParts } from './store-parts.ts';
import { asStored, fromStorage, toStorage } from './stored-form.ts';
import type { UpdateRequest, Written } from './update-request.ts';
import { strategyContext, type WriteContext } from './write-context.ts';

/** How often an update is tried in the midst of other writers, before it waits for its turn. */
const freeAttempts = 2;
/** The maximum of attempts: each failure is another client's success, so this is hardly ever reached. */
const updateAttempts = 100;

/**
 * The path of an update: desired object, admission, preparation, validation, and into the storage unless a concurrent
 * write came first.
 */
export class ObjectUpdater {
  private readonly parts: ObjectStoreParts;
  private readonly creator: ObjectCreator;
  private readonly turns = new KeyTurns();

  constructor(parts: ObjectStoreParts, creator: ObjectCreator) {
    this.parts = parts;
    this.creator = creator;
  }

  /** Changes an object, again and again until no other writer came between, and answers with what is now stored. */
  async update(resource: Resource, request: UpdateRequest, context: WriteContext): Promise<Written> {
    const key = storageKey(resource, request.namespace, request.name);
    for (let attempt = 1; ; attempt++) {
      // Many writers of one object would mostly spoil each other's work; after the first attempts they line up.
      using _ = attempt > freeAttempts ? await this.turns.take(key) : undefined;
      const written = await this.tryUpdate(resource, key, request, context);
      if (written) return written;
      if (attempt >= updateAttempts) throw conflictError(errorTarget(resource), request.name);
    }
  }

  /** `undefined` after a concurrent write. A request with a resourceVersion fails in the next attempt. */
  private async tryUpdate(
    resource: Resource,
    key: string,
    request: UpdateRequest,
    context: WriteContext,
  ): Promise<Written | undefined> {
    const entry = this.parts.storage.latest(key);
    const old = entry ? await fromStorage(resource, entry) : undefined;
    if (!old && !request.createIfAbsent) throw notFoundError(errorTarget(resource), request.name);
    if (request.uid !== undefined) checkUid(resource, key, request.name, old, request.uid);
    const draft = await request.change(old);
    try {
      if (old && entry)
        return { object: await this.replace(resource, request, entry, old, draft, context), created: false };
      checkVersionSyntax(metadataOf(draft).resourceVersion);
      // Upstream checks this on POST alone; a new object has no version that could be wrong. A dry run shows it.
      if (!context.dryRun) delete metadataOf(draft).resourceVersion;
      const creating = { ...context, options: request.createOptions ?? context.options };
      const object = await this.creator.create(resource, request.namespace, draft, creating, {
        ownManagedFields: request.ownManagedFields === true,
        subresource: request.subresource,
      });
      return { object, created: true };
    } catch (error) {
      const lost = old ? error instanceof RevisionMismatchError : isStatusError(error, 'AlreadyExists');
      if (lost && this.parts.storage.latest(key)?.revision !== entry?.revision) return undefined;
      throw error;
    }
  }

  private async replace(
    resource: Resource,
    request: UpdateRequest,
    entry: StoredEntry,
    old: KubeObject,
    draft: Draft,
    context: WriteContext,
  ): Promise<KubeObject> {
    const now = this.parts.clock.now();
    const meta = metadataOf(draft);
    checkNamespace(resource, request.namespace, meta);
    dedupOwnerReferences(meta, context);
    if (!request.ownManagedFields) {
      const write = { manager: context.fieldManager, time: formatTime(now) };
      const managed = managedResource(resource, request.subresource);
      const others = await changesInVersions(resource, old, draft);
      setManagedFields(draft, others && updateManagedFields(managed, old as Draft, draft, write, others));
    }
    const admission = admissionRequest(
      'UPDATE',
      resource,
      request.namespace,
      request.name,
      request.subresource,
      context,
      draft,
      old,
    );
    const { managedFields } = metadataOf(draft);
    if (!request.reviewed) await this.mutateUpdate(request, admission);
    keepManagedFields(draft, managedFields, context);
    dedupOwnerReferences(metadataOf(draft), context, afterMutation);
    checkPreconditions(resource, request.name, draft, old);
    metadataOf(draft).resourceVersion = old.metadata.resourceVersion as string;

    keepSystemMetadata(draft, old);
    // Side effects of a kind depend on its spec, which a status update does not change.
    const effects = request.subresource === 'status' ? undefined : this.parts.sideEffects;
    const undo = effects?.beforeUpdate?.(resource, draft, old, strategyContext(context, now));
    try {
      return await this.finishReplace(resource, request, entry, old, draft, context, { admission, now });
    } finally {
      undo?.();
    }
  }

  /** Lets admission change the object, or the view of it that the update is made through. */
  private async mutateUpdate({ view }: UpdateRequest, admission: AdmissionRequest): Promise<void> {
    const draft = admission.object as Draft;
    const seen = inView(view, admission, draft);
    await this.parts.admission.mutate(seen);
    if (view) view.take(draft, seen.object as Draft);
  }

  /** Prepares, validates and writes what an update came to. */
  private async finishReplace(
    resource: Resource,
    request: UpdateRequest,
    entry: StoredEntry,
    old: KubeObject,
    draft: Draft,
    context: WriteContext,
    { admission, now }: { admission: AdmissionRequest; now: number },
  ): Promise<KubeObject> {
    this.prepareForUpdate(resource, request.subresource, draft, old, context, now);
    const statusOnly = request.subresource === 'status';
    const final = resource.normalize(draft, statusOnly ? old : undefined);
    this.validateUpdate(resource, request, final, old, context, now);
    if (!request.reviewed) await this.parts.admission.validate(inView(request.view, admission, final));

    // With a status nothing else has come; what was read as a status has its defaults.
    if (!statusOnly || resource.custom) resource.strategy.default?.(final);
    if ((equalJson(final, old) || equalButForTimes(final, old)) && isStored(resource, entry, old)) {
      await this.parts.storage.visible(entry.revision);
      return old;
    }
    if (context.dryRun) return asStored(resource, final);
    return this.commit(resource, entry, final);
  }

  /** Writes the new state; an object that only waited for its finalizers goes with the last of them. */
  private async commit(resource: Resource, entry: StoredEntry, final: Draft): Promise<KubeObject> {
    if (isReadyToGo(final, resource)) {
      const before = cloneJson(final);
      await this.parts.storage.write(entry.key, entry.revision, undefined);
      this.parts.sideEffects?.afterDelete?.(resource, before);
      return before;
    }
    const stored = await toStorage(resource, final);
    const event = await this.parts.storage.write(entry.key, entry.revision, stored);
    return fromStorage(resource, event);
  }

  private prepareForUpdate(
    resource: Resource,
    subresource: string,
    draft: Draft,
    old: KubeObject,
    context: WriteContext,
    now: number,
  ): void {
    const { strategy } = resource;
    const about = strategyContext(context, now);
    if (isWhole(subresource)) {
      strategy.prepareForUpdate?.(draft, old, about);
      if (strategy.generationChanged?.(draft, old)) metadataOf(draft).generation = (old.metadata.generation ?? 0) + 1;
      return;
    }
    const own = strategy.subresources?.[subresource];
    if (own?.prepareForUpdate) own.prepareForUpdate(draft, old, about);
    else if (subresource === 'status') keepAllButStatus(draft, old, resource.custom || own?.keepsMetadata === true);
  }

  private validateUpdate(
    resource: Resource,
    request: UpdateRequest,
    draft: Draft,
    old: KubeObject,
    context: WriteContext,
    now: number,
  ): void {
    const { strategy } = resource;
    const about = strategyContext(context, now);
    const part = isWhole(request.subresource) ? undefined : request.subresource;
    const errors = validateChangedObject(strategy, draft, old, resource, about, part);
    refuseInvalid(resource, draft, errors);
    if (request.subresource === '') for (const warning of strategy.warnings?.(draft, old) ?? []) context.warn(warning);
  }
}

/**
 * Whether the storage has what was read. An object that reading filled in or pruned, or that is stored in another version than
 * new ones, is written again by the next update, even if that changes nothing: migrations of stored versions depend on it.
 */
function isStored({ storageVersion }: Resource, { value }: StoredEntry, old: KubeObject): boolean {
  if (value === old) return true;
  if (value.apiVersion !== storageVersion) return false;
  return value.apiVersion !== old.apiVersion || equalJson(value, old);
}

/** A write through `/scale` is a write of the object like any other; only its body differs. */
function isWhole(subresource: string): boolean {
  return subresource === '' || subresource === 'scale';
}
