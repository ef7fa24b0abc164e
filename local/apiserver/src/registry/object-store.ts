import {
  alreadyExistsError,
  type Clock,
  cloneJson,
  conflictError,
  equalJson,
  formatTime,
  generateName,
  type GroupVersionKind,
  isStatusError,
  invalidObjectError,
  type KubeObject,
  type Mutable,
  notFoundError,
  type ObjectMeta,
  type Random,
  randomUid,
  StatusError,
} from '@tektite/meta';
import type { AdmissionChain, AdmissionRequest } from '../admission/admission.ts';
import { updateManagedFields } from '../apply/field-manager.ts';
import { RevisionMismatchError, type Storage, type StoredEntry } from '../storage/storage.ts';
import { changesInVersions } from './changes-in-versions.ts';
import { validateChangedObject, validateNewObject } from './kinds/validate-object.ts';
import type { StrategyContext } from './kind-strategy.ts';
import {
  checkNamespace,
  dedupOwnerReferences,
  keepAllButStatus,
  keepManagedFields,
  keepSystemMetadata,
  metadataOf,
  placeResourceVersion,
  setManagedFields,
} from './draft-metadata.ts';
import { equalButForTimes } from './equal-but-for-times.ts';
import { KeyTurns } from './key-turns.ts';
import { managedResource } from './managed-resource.ts';
import { checkPreconditions, checkUid, isReadyToGo, takenError } from './preconditions.ts';
import { type Draft, errorTarget, type Resource, storageKey } from './resource.ts';
import type { WriteContext } from './write-context.ts';

/** What the object store is built on. */
export interface ObjectStoreParts {
  readonly storage: Storage;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
  /** Work a kind does beside its own object when it is written (a Service takes an address). */
  readonly sideEffects?: SideEffects;
}

/** Hooks around writes of kinds that touch more than themselves. Each may change the draft; a failed write is undone. */
export interface SideEffects {
  beforeCreate?(resource: Resource, draft: Draft, context: StrategyContext): (() => void) | undefined;
  beforeUpdate?(resource: Resource, draft: Draft, old: KubeObject, context: StrategyContext): (() => void) | undefined;
  afterDelete?(resource: Resource, object: KubeObject): void;
}

/** An object in the form that a subresource has for it. */
export interface ObjectView {
  readonly kind: GroupVersionKind;
  show(object: KubeObject): KubeObject;
  /** Takes over what was changed in a view. */
  take(object: Draft, view: Draft): void;
}

/** How an update changes an object. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /**
   * Makes the wanted object from the current one (absent: it does not exist). Called again when somebody else wrote in
   * between. Takes care of managedFields itself where that differs from a plain update.
   */
  readonly change: (old: KubeObject | undefined) => Promise<Draft> | Draft;
  /** The object may be created when it does not exist. */
  readonly createIfAbsent?: boolean;
  readonly createOptions?: Readonly<Record<string, unknown>>;
  /** `change` has set managedFields already (server-side apply does). */
  readonly ownManagedFields?: boolean;
  /** What admission sees instead of the object, where the two are not the same: a Scale. */
  readonly view?: ObjectView;
  /** Admission has had its say already, about whatever led to this update. */
  readonly reviewed?: boolean;
  /** The object must have this uid, or the update is a conflict. */
  readonly uid?: string;
}

export interface Written {
  readonly object: KubeObject;
  readonly created: boolean;
}

/** How often an update is tried in the midst of other writers, before it waits for its turn. */
const freeAttempts = 2;
/** How often it is tried altogether: each failure is somebody else's success, so this is hardly ever reached. */
const updateAttempts = 100;
/** Said where it was a webhook that repeated an owner. */
const afterMutation = ' after mutating admission happens';
/** How often a name is generated before giving up on finding a free one. */
const generateNameAttempts = 8;

/**
 * Creates and updates objects of any resource: the flow that upstream's generic registry store has, with the kind's own
 * rules coming from its strategy. Reads need none of this and go to the storage.
 */
export class ObjectStore {
  private readonly parts: ObjectStoreParts;
  private readonly turns = new KeyTurns();

  constructor(parts: ObjectStoreParts) {
    this.parts = parts;
  }

  /** The current object, in the version of the resource. */
  async get(resource: Resource, namespace: string, name: string): Promise<KubeObject> {
    const entry = this.parts.storage.get(storageKey(resource, namespace, name));
    if (!entry) throw notFoundError(errorTarget(resource), name);
    return this.fromStorage(resource, entry);
  }

  async create(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
    ownManagedFields = false,
  ): Promise<KubeObject> {
    const meta = metadataOf(draft);
    checkNamespace(resource, namespace, meta);
    const now = this.parts.clock.now();
    const time = formatTime(now);
    for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'selfLink'] as const)
      if (meta[field] !== undefined) delete meta[field];
    dedupOwnerReferences(meta, context);
    if (!ownManagedFields) {
      const write = { manager: context.fieldManager, time };
      setManagedFields(
        draft,
        updateManagedFields(managedResource(resource, ''), resource.emptyObject as Draft, draft, write),
      );
    }
    const request = this.admissionRequest(
      'CREATE',
      resource,
      namespace,
      meta.name ?? '',
      '',
      context,
      draft,
      undefined,
    );
    const { managedFields } = meta;
    await this.parts.admission.mutate(request);
    keepManagedFields(draft, managedFields, context);
    dedupOwnerReferences(metadataOf(draft), context, afterMutation);

    if (metadataOf(draft).resourceVersion !== undefined) {
      throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
    }
    const generated = this.giveIdentity(metadataOf(draft), time);
    const undo = this.parts.sideEffects?.beforeCreate?.(resource, draft, this.strategyContext(context, now));
    try {
      this.prepareForCreate(resource, draft, context, now);
      const final = resource.normalize(draft);
      if (!context.trusted) this.validateCreate(resource, final, context, now);
      await this.parts.admission.validate(named(request, final));
      // Upstream reads back what it stored, and reading fills in defaults: of what preparation added, too.
      resource.strategy.default?.(final);
      return await this.insertNamed(resource, namespace, final, context, generated);
    } finally {
      // What the object holds now is known from the storage; what it does not hold is free again.
      undo?.();
    }
  }

  /** Who the object is from now on; the prefix, where the name was generated. Nobody who mutates an object sees this yet. */
  private giveIdentity(meta: Mutable<ObjectMeta>, time: string): string | undefined {
    meta.creationTimestamp = time;
    meta.uid = randomUid(this.parts.random);
    const generated = !meta.name && meta.generateName ? meta.generateName : undefined;
    if (generated) meta.name = generateName(generated, this.parts.random);
    return generated;
  }

  /** Inserts under the name the object has; a generated one that is taken is made anew a few times. */
  private async insertNamed(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
    generated: string | undefined,
  ): Promise<KubeObject> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.insert(resource, namespace, draft, context);
      } catch (error) {
        const again = generated && attempt < generateNameAttempts && isStatusError(error, 'AlreadyExists');
        if (!again) throw error;
        metadataOf(draft).name = generateName(generated, this.parts.random);
      }
    }
  }

  private prepareForCreate(resource: Resource, draft: Draft, context: WriteContext, now: number): void {
    const meta = metadataOf(draft);
    delete meta.deletionTimestamp;
    delete meta.deletionGracePeriodSeconds;
    delete meta.selfLink;
    delete meta.generation;
    if (resource.strategy.generationChanged) meta.generation = 1;
    resource.strategy.prepareForCreate?.(draft, this.strategyContext(context, now));
  }

  private validateCreate(resource: Resource, draft: Draft, context: WriteContext, now: number): void {
    const { strategy } = resource;
    const errors = validateNewObject(strategy, draft, resource, this.strategyContext(context, now));
    if (errors.length > 0)
      throw invalidObjectError(
        strategy.errorGroup ?? resource.group,
        resource.kind,
        metadataOf(draft).name ?? '',
        errors,
      );
    for (const warning of strategy.warnings?.(draft, undefined) ?? []) context.warn(warning);
  }

  private async insert(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
  ): Promise<KubeObject> {
    const name = metadataOf(draft).name as string;
    placeResourceVersion(draft);
    const key = storageKey(resource, namespace, name);
    const existing = this.parts.storage.latest(key);
    if (existing) throw takenError(resource, existing.value);
    if (context.dryRun) {
      delete metadataOf(draft).resourceVersion;
      return this.asStored(resource, draft);
    }
    try {
      const stored = resource.toStorage ? await resource.toStorage(cloneJson(draft) as Draft) : draft;
      const event = await this.parts.storage.write(key, 0, stored);
      return await this.fromStorage(resource, event);
    } catch (error) {
      throw error instanceof RevisionMismatchError ? alreadyExistsError(errorTarget(resource), name) : error;
    }
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

  /** `undefined` when somebody else wrote in between. Whoever named a version learns from the next attempt that it is old. */
  private async tryUpdate(
    resource: Resource,
    key: string,
    request: UpdateRequest,
    context: WriteContext,
  ): Promise<Written | undefined> {
    const entry = this.parts.storage.latest(key);
    const old = entry ? await this.fromStorage(resource, entry) : undefined;
    if (!old && !request.createIfAbsent) throw notFoundError(errorTarget(resource), request.name);
    if (old && request.uid !== undefined) checkUid(resource, key, old, request.uid);
    const draft = await request.change(old);
    try {
      if (old && entry)
        return { object: await this.replace(resource, request, entry, old, draft, context), created: false };
      // Upstream checks this on POST alone; a new object has no version that could be wrong.
      delete metadataOf(draft).resourceVersion;
      const creating = { ...context, options: request.createOptions ?? context.options };
      const object = await this.create(resource, request.namespace, draft, creating, request.ownManagedFields);
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
    const admission = this.admissionRequest(
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
    // What a kind does beside its own object, it does for its spec, which a status does not reach.
    const effects = request.subresource === 'status' ? undefined : this.parts.sideEffects;
    const undo = effects?.beforeUpdate?.(resource, draft, old, this.strategyContext(context, now));
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
    if (equalJson(final, old) || equalButForTimes(final, old)) {
      await this.parts.storage.visible(entry.revision);
      return old;
    }
    if (context.dryRun) return this.asStored(resource, final);
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
    const stored = resource.toStorage ? await resource.toStorage(cloneJson(final) as Draft) : final;
    const event = await this.parts.storage.write(entry.key, entry.revision, stored);
    return this.fromStorage(resource, event);
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
    const strategyContext = this.strategyContext(context, now);
    if (isWhole(subresource)) {
      strategy.prepareForUpdate?.(draft, old, strategyContext);
      if (strategy.generationChanged?.(draft, old)) metadataOf(draft).generation = (old.metadata.generation ?? 0) + 1;
      return;
    }
    const own = strategy.subresources?.[subresource];
    if (own?.prepareForUpdate) own.prepareForUpdate(draft, old, strategyContext);
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
    const strategyContext = this.strategyContext(context, now);
    const part = isWhole(request.subresource) ? undefined : request.subresource;
    const errors = validateChangedObject(strategy, draft, old, resource, strategyContext, part);
    if (errors.length > 0)
      throw invalidObjectError(
        strategy.errorGroup ?? resource.group,
        resource.kind,
        metadataOf(draft).name ?? '',
        errors,
      );
    if (request.subresource === '') for (const warning of strategy.warnings?.(draft, old) ?? []) context.warn(warning);
  }

  private admissionRequest(
    operation: 'CREATE' | 'UPDATE',
    resource: Resource,
    namespace: string,
    name: string,
    subresource: string,
    context: WriteContext,
    object: Draft,
    oldObject: KubeObject | undefined,
  ): AdmissionRequest {
    const { user, dryRun, options, warn } = context;
    return {
      operation,
      resource,
      subresource,
      // A Namespace is in itself.
      namespace: resource.group === '' && resource.plural === 'namespaces' ? name : namespace,
      name,
      object,
      ...(oldObject ? { oldObject } : {}),
      user,
      dryRun,
      options,
      warn,
    };
  }

  private strategyContext(context: WriteContext, now: number): StrategyContext {
    return { now, user: context.user, dryRun: context.dryRun };
  }

  /** What would be answered if the object were stored: conversion to the stored version may lose something. */
  private async asStored(resource: Resource, draft: Draft): Promise<KubeObject> {
    if (!resource.toStorage) return draft;
    const stored = await resource.toStorage(cloneJson(draft) as Draft);
    return this.fromStorage(resource, { key: '', revision: 0, value: stored });
  }

  /** A stored object in the version of the resource. */
  async fromStorage(resource: Resource, entry: StoredEntry): Promise<KubeObject> {
    if (!resource.fromStorage) return entry.value;
    const [object] = await resource.fromStorage([entry.value]);
    return object as KubeObject;
  }
}

/** A request about an object that has its final name by now. */
function named(request: AdmissionRequest, object: Draft): AdmissionRequest {
  return { ...request, name: request.name || (object.metadata.name ?? ''), object };
}

/** A request about an object as admission is to see it. */
function inView(view: ObjectView | undefined, request: AdmissionRequest, object: Draft): AdmissionRequest {
  if (!view) return { ...request, object };
  const { oldObject } = request;
  return {
    ...request,
    kind: view.kind,
    object: view.show(object) as Draft,
    ...(oldObject ? { oldObject: view.show(oldObject) } : {}),
  };
}

/** A write through `/scale` is a write of the object like any other; only its body differs. */
function isWhole(subresource: string): boolean {
  return subresource === '' || subresource === 'scale';
}
