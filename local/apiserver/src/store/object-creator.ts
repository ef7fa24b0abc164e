import {
  alreadyExistsError,
  formatTime,
  generateName,
  isStatusError,
  type KubeObject,
  type Mutable,
  type ObjectMeta,
  randomUid,
  StatusError,
} from '@tektite/meta';
import { updateManagedFields } from '../apply/field-manager.ts';
import { RevisionMismatchError } from '../storage/storage.ts';
import { admissionRequest, named } from './admission-requests.ts';
import {
  afterMutation,
  checkNamespace,
  dedupOwnerReferences,
  keepManagedFields,
  metadataOf,
  placeResourceVersion,
  setManagedFields,
} from './draft-metadata.ts';
import { validateNewObject } from '../registry/kinds/validate-object.ts';
import { managedResource } from './managed-resource.ts';
import { refuseInvalid, takenError } from './preconditions.ts';
import { type Draft, errorTarget, type Resource, storageKey } from '../registry/resource.ts';
import type { ObjectStoreParts } from './store-parts.ts';
import { asStored, fromStorage, toStorage } from './stored-form.ts';
import { strategyContext, type WriteContext } from './write-context.ts';

/** How often a name is generated before giving up on finding a free one. */
const generateNameAttempts = 8;

/** How an object comes to be created. */
interface CreateDetails {
  /** The draft has its managedFields already. */
  readonly ownManagedFields?: boolean;
  /** The path of the request, where an update creates. */
  readonly subresource?: string;
}

/** The way of a new object: identity, admission, preparation, validation, and into the storage. */
export class ObjectCreator {
  private readonly parts: ObjectStoreParts;

  constructor(parts: ObjectStoreParts) {
    this.parts = parts;
  }

  async create(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
    { ownManagedFields = false, subresource = '' }: CreateDetails = {},
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
    const request = admissionRequest('CREATE', resource, namespace, meta.name ?? '', '', context, draft, undefined);
    const { managedFields } = meta;
    await this.parts.admission.mutate(request);
    keepManagedFields(draft, managedFields, context);
    dedupOwnerReferences(metadataOf(draft), context, afterMutation);

    const generated = this.giveIdentity(metadataOf(draft), time);
    // An object that is created through its status gets no addresses: upstream's storage of statuses allocates nothing.
    const effects = subresource === '' ? this.parts.sideEffects : undefined;
    const undo = effects?.beforeCreate?.(resource, draft, strategyContext(context, now));
    try {
      this.prepareForCreate(resource, draft, context, now);
      const final = resource.normalize(draft);
      if (!context.trusted) this.validateCreate(resource, final, context, now);
      context.authorizeCreate?.();
      await this.parts.admission.validate(named(request, final));
      // Upstream reads back what it stored, and reading fills in defaults: of what preparation added, too.
      resource.strategy.default?.(final);
      return await this.insertNamed(resource, namespace, final, context, generated);
    } finally {
      // The storage shows the allocated resources; others are released.
      undo?.();
    }
  }

  /**
   * Sets uid, creation time and name; returns the prefix, where the name was generated. Mutating admission runs before
   * this.
   */
  private giveIdentity(meta: Mutable<ObjectMeta>, time: string): string | undefined {
    meta.creationTimestamp = time;
    meta.uid = randomUid(this.parts.random);
    const generated = !meta.name && meta.generateName ? meta.generateName : undefined;
    if (generated) meta.name = generateName(generated, this.parts.random);
    return generated;
  }

  /** Inserts under the object's name; a generated name that is taken is generated again a few times. */
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
    resource.strategy.prepareForCreate?.(draft, strategyContext(context, now));
  }

  private validateCreate(resource: Resource, draft: Draft, context: WriteContext, now: number): void {
    const { strategy } = resource;
    const errors = validateNewObject(strategy, draft, resource, strategyContext(context, now));
    refuseInvalid(resource, draft, errors);
    for (const warning of strategy.warnings?.(draft, undefined) ?? []) context.warn(warning);
  }

  private async insert(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
  ): Promise<KubeObject> {
    const { name = '', resourceVersion } = metadataOf(draft);
    placeResourceVersion(draft);
    const key = storageKey(resource, namespace, name);
    if (!context.dryRun) refuseVersion(resourceVersion);
    const existing = this.parts.storage.latest(key);
    if (existing) throw takenError(resource, existing.value);
    if (context.dryRun) {
      if (resourceVersion) metadataOf(draft).resourceVersion = resourceVersion;
      else delete metadataOf(draft).resourceVersion;
      return asStored(resource, draft);
    }
    try {
      const event = await this.parts.storage.write(key, 0, await toStorage(resource, draft));
      return await fromStorage(resource, event);
    } catch (error) {
      throw error instanceof RevisionMismatchError ? alreadyExistsError(errorTarget(resource), name) : error;
    }
  }
}

/** The storage refuses an object with a version; one that is no number counts as none. */
function refuseVersion(resourceVersion = ''): void {
  if (/^[0-9]+$/.test(resourceVersion) && Number(resourceVersion) !== 0)
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
}
