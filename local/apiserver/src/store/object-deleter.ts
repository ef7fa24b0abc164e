import {
  type Clock,
  cloneJson,
  conflictError,
  formatTime,
  instantToMilliseconds,
  type KubeObject,
  notFoundError,
  parseTime,
  type Status,
} from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { AdmissionChain, AdmissionRequest } from '../admission/admission.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import { RevisionMismatchError, type Storage, type StoredEntry } from '../storage/storage.ts';
import { metadataOf } from './draft-metadata.ts';
import type { SideEffects } from './store-parts.ts';
import { fromStorage, toStorage } from './stored-form.ts';
import { type Draft, errorTarget, type Resource, storageKey } from '../registry/resource.ts';
import type { WriteContext } from './write-context.ts';

export interface ObjectDeleterParts {
  readonly storage: Storage;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly sideEffects?: SideEffects;
}

/** How admission takes part in a delete. */
export interface DeleteReview {
  /** The requested name: none for the objects of a deletecollection. */
  readonly name?: string;
  /** It has had its say already, about whatever led to the delete. */
  readonly done?: boolean;
}

/** Upstream deletes these by separate code, which sets no grace period. */
const marksTimeOnly = new Set(['namespaces.', 'customresourcedefinitions.apiextensions.k8s.io']);

/** Keeps a CRD until its instances are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/**
 * Deletes objects: at once, or by marking them and letting finalizers or a grace period run out.
 *
 * Answers with the object while it lives on, and for a few kinds that upstream made so; with a Status otherwise.
 */
export class ObjectDeleter {
  private readonly parts: ObjectDeleterParts;

  constructor(parts: ObjectDeleterParts) {
    this.parts = parts;
  }

  async delete(
    resource: Resource,
    namespace: string,
    name: string,
    options: DeleteOptions,
    context: WriteContext,
    review: DeleteReview = {},
  ): Promise<KubeObject | Status> {
    const key = storageKey(resource, namespace, name);
    this.warnOfOrphans(resource, options, context);
    for (;;) {
      const entry = this.parts.storage.latest(key);
      if (!entry) throw notFoundError(errorTarget(resource), name);
      const object = await fromStorage(resource, entry);
      this.checkPreconditions(resource, object, options);
      if (!review.done) await this.review(resource, namespace, review.name ?? name, object, options, context);
      try {
        return await this.attempt(resource, entry, object, options, context);
      } catch (error) {
        if (!(error instanceof RevisionMismatchError)) throw error;
      }
    }
  }

  /** Both halves of the admission chain see a delete: a mutating webhook may refuse it. */
  private async review(
    resource: Resource,
    namespace: string,
    name: string,
    oldObject: KubeObject,
    options: DeleteOptions,
    { user, dryRun, warn, annotate }: WriteContext,
  ): Promise<void> {
    const isNamespace = resource.group === '' && resource.plural === 'namespaces';
    const request: AdmissionRequest = {
      operation: 'DELETE',
      resource,
      subresource: '',
      // A Namespace is in itself.
      namespace: isNamespace ? name : namespace,
      name,
      oldObject,
      user,
      dryRun,
      options: options.wire,
      warn,
      annotate,
    };
    await this.parts.admission.mutate(request);
    await this.parts.admission.validate(request);
  }

  /** Warns of Pods that a deletion leaves behind; also where a collection turns out to be empty. */
  warnOfOrphans(resource: Resource, options: DeleteOptions, context: WriteContext): void {
    const silent = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
    if (silent || resource.strategy.defaultPropagation !== 'Orphan' || resource.plural !== 'jobs') return;
    context.warn(
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    );
  }

  private async attempt(
    resource: Resource,
    entry: StoredEntry,
    object: KubeObject,
    options: DeleteOptions,
    context: WriteContext,
  ): Promise<KubeObject | Status> {
    const marked = this.mark(resource, object, options);
    if (marked.changed && marked.stays) {
      return context.dryRun ? marked.draft : this.write(resource, entry, marked.draft);
    }
    if (marked.stays) {
      await this.parts.storage.visible(entry.revision);
      return object;
    }
    // Only kinds with a grace period are marked before they go.
    if (context.dryRun)
      return this.answer(resource, resource.strategy.defaultGracePeriodSeconds ? marked.draft : object);
    // Kinds with a grace period are marked first, so that watchers see the deletion coming; then they go.
    let revision = entry.revision;
    let last: KubeObject = object;
    if (
      marked.changed &&
      (resource.strategy.defaultGracePeriodSeconds || (object.metadata.finalizers?.length ?? 0) > 0)
    ) {
      last = await this.write(resource, entry, marked.draft);
      revision = Number(last.metadata.resourceVersion);
    }
    const event = await this.parts.storage.write(entry.key, revision, undefined);
    this.parts.sideEffects?.afterDelete?.(resource, last);
    return this.answer(resource, await fromStorage(resource, event));
  }

  private answer(resource: Resource, object: KubeObject): KubeObject | Status {
    if (resource.strategy.returnDeletedObject) return object;
    const { name = '', uid = '' } = object.metadata;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, uid },
    };
  }

  private async write(resource: Resource, entry: StoredEntry, draft: Draft): Promise<KubeObject> {
    const event = await this.parts.storage.write(entry.key, entry.revision, await toStorage(resource, draft));
    return fromStorage(resource, event);
  }

  private checkPreconditions(resource: Resource, object: KubeObject, { uid, resourceVersion }: DeleteOptions): void {
    const { name = '', uid: actual, resourceVersion: version } = object.metadata;
    if (marksTimeOnly.has(`${resource.plural}.${resource.group}`)) {
      // Upstream deletes these by separate code, with different texts.
      if (uid !== undefined && uid !== actual)
        throw conflictError(
          errorTarget(resource),
          name,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
        );
      if (resourceVersion !== undefined && resourceVersion !== version)
        throw conflictError(
          errorTarget(resource),
          name,
          `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${version}`,
        );
      return;
    }
    const target = { group: resource.group, resource: resource.kind };
    if (uid !== undefined && uid !== actual) {
      throw conflictError(
        target,
        name,
        `the UID in the precondition (${uid}) does not match the UID in record (${actual}). The object might have been deleted and then recreated`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== version) {
      throw conflictError(
        target,
        name,
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
      );
    }
  }

  /** The object as it is while it waits for its end; `stays` is false when nothing holds it. */
  private mark(
    resource: Resource,
    object: KubeObject,
    options: DeleteOptions,
  ): { draft: Draft; stays: boolean; changed: boolean } {
    const draft = cloneJson(object) as Draft;
    const meta = metadataOf(draft);
    const finalizers = isDefinition(resource)
      ? [...new Set([...(object.metadata.finalizers ?? []), cleanupFinalizer])]
      : wantedFinalizers(resource, object, options);
    const sameFinalizers = JSON.stringify(finalizers) === JSON.stringify(object.metadata.finalizers ?? []);
    if (!sameFinalizers) {
      if (finalizers.length > 0) meta.finalizers = finalizers;
      else delete meta.finalizers;
    }
    const grace = this.gracePeriod(resource, object, options);
    const marking =
      object.metadata.deletionTimestamp === undefined || grace < (object.metadata.deletionGracePeriodSeconds ?? 0);
    if (marking) {
      const from = object.metadata.deletionTimestamp === undefined ? this.parts.clock.now() : this.requestedAt(object);
      meta.deletionTimestamp = formatTime(grace === 0 ? this.parts.clock.now() : from + grace * 1000);
      if (!marksTimeOnly.has(`${resource.plural}.${resource.group}`)) meta.deletionGracePeriodSeconds = grace;
      if (object.metadata.deletionTimestamp === undefined && meta.generation !== undefined && !isDefinition(resource))
        meta.generation++;
    }
    if (marking && isDefinition(resource)) startTermination(draft, formatTime(this.parts.clock.now()));
    const left = marking ? grace : (object.metadata.deletionGracePeriodSeconds ?? 0);
    const stays = finalizers.length > 0 || left > 0 || holdsNamespace(resource, object);
    if (stays && marking && resource.kind === 'Namespace')
      draft.status = { ...(draft.status as object), phase: 'Terminating' };
    return { draft, stays, changed: marking || !sameFinalizers };
  }

  private requestedAt(object: KubeObject): number {
    const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = object.metadata;
    return instantToMilliseconds(parseTime(deletionTimestamp)) - deletionGracePeriodSeconds * 1000;
  }

  private gracePeriod(resource: Resource, object: KubeObject, options: DeleteOptions): number {
    const { deletionTimestamp, deletionGracePeriodSeconds: pending = 0 } = object.metadata;
    // A deletion under way is only made quicker, and only by those who say how quick.
    if (deletionTimestamp !== undefined && pending > 0)
      return options.gracePeriodSeconds === undefined ? pending : atLeastOne(options.gracePeriodSeconds);
    const natural = resource.strategy.defaultGracePeriodSeconds?.(object);
    if (natural === undefined || !needsGrace(object as Pod)) return 0;
    return atLeastOne(options.gracePeriodSeconds ?? Number(natural));
  }
}

const maxGraceSeconds = 100 * 365 * 86_400;

/** Less than nothing is a second, as upstream reads it; more than a century has no time at which it ends. */
function atLeastOne(seconds: number): number {
  return seconds < 0 ? 1 : Math.min(seconds, maxGraceSeconds);
}

function isDefinition({ group, plural }: Resource): boolean {
  return group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions';
}

/** A CRD says in its status that it is going. */
function startTermination(draft: Draft, now: string): void {
  const status = (draft.status ?? {}) as { conditions?: readonly { readonly type: string }[] };
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  draft.status = {
    ...status,
    conditions: [...(status.conditions ?? []).filter(({ type }) => type !== 'Terminating'), terminating],
  };
}

/** A Pod that no node has, or that has finished, has nothing to wind down. */
function needsGrace({ spec, status }: Pod): boolean {
  return Boolean(spec?.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** A namespace lives until the finalizers in its spec are removed. */
function holdsNamespace(resource: Resource, object: KubeObject): boolean {
  return (
    resource.kind === 'Namespace' &&
    resource.group === '' &&
    ((object as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers?.length ?? 0) > 0
  );
}

/** The finalizers that the propagation policy asks for: `orphan`, `foregroundDeletion` or neither. */
function wantedFinalizers(resource: Resource, object: KubeObject, options: DeleteOptions): string[] {
  const current = object.metadata.finalizers ?? [];
  const policy = effectivePolicy(resource, current, options);
  const result = current.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  if (policy === 'Orphan') result.push(orphan);
  if (policy === 'Foreground') result.push(foreground);
  const same = result.length === current.length && result.every((finalizer) => current.includes(finalizer));
  return same ? [...current] : result;
}

function effectivePolicy(resource: Resource, current: readonly string[], options: DeleteOptions): string {
  if (options.propagationPolicy) return options.propagationPolicy;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (current.includes(orphan)) return 'Orphan';
  if (current.includes(foreground)) return 'Foreground';
  return resource.strategy.defaultPropagation ?? 'Background';
}
