import { type KubeObject, notFoundError } from '@tektite/meta';
import { ObjectCreator } from './object-creator.ts';
import { ObjectUpdater } from './object-updater.ts';
import { type Draft, errorTarget, type Resource, storageKey } from '../registry/resource.ts';
import type { ObjectStoreParts } from './store-parts.ts';
import { fromStorage } from './stored-form.ts';
import type { UpdateRequest, Written } from './update-request.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Creates and updates objects of any resource: the flow that upstream's generic registry store has, with the kind's own
 * rules coming from its strategy. Reads need none of this and go to the storage.
 */
export class ObjectStore {
  private readonly parts: ObjectStoreParts;
  private readonly creator: ObjectCreator;
  private readonly updater: ObjectUpdater;

  constructor(parts: ObjectStoreParts) {
    this.parts = parts;
    this.creator = new ObjectCreator(parts);
    this.updater = new ObjectUpdater(parts, this.creator);
  }

  /** The current object, in the version of the resource. */
  async get(resource: Resource, namespace: string, name: string): Promise<KubeObject> {
    const entry = this.parts.storage.get(storageKey(resource, namespace, name));
    if (!entry) throw notFoundError(errorTarget(resource), name);
    return fromStorage(resource, entry);
  }

  /** With `ownManagedFields` the draft has its managedFields already. */
  create(
    resource: Resource,
    namespace: string,
    draft: Draft,
    context: WriteContext,
    ownManagedFields = false,
  ): Promise<KubeObject> {
    return this.creator.create(resource, namespace, draft, context, { ownManagedFields });
  }

  /** Changes an object, again and again until no other writer came between, and answers with what is now stored. */
  update(resource: Resource, request: UpdateRequest, context: WriteContext): Promise<Written> {
    return this.updater.update(resource, request, context);
  }
}
