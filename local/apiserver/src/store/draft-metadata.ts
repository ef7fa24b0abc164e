import { badRequestError, type KubeObject, type Mutable, type ObjectMeta, type OwnerReference } from '@tektite/meta';
import { managedFieldsProblem } from '../apply/managed-fields.ts';
import type { Draft, Resource } from '../registry/resource.ts';
import type { WriteContext } from './write-context.ts';

/** The metadata of a draft, to change. A body without any gets it. */
export function metadataOf(draft: Draft): Mutable<ObjectMeta> {
  return (draft.metadata ??= {});
}

export function setManagedFields(draft: Draft, entries: ObjectMeta['managedFields']): void {
  if (entries === undefined) delete metadataOf(draft).managedFields;
  else metadataOf(draft).managedFields = entries as NonNullable<Mutable<ObjectMeta>['managedFields']>;
}

/** The managedFields after admission count only if they are valid; otherwise the previous ones stay. */
export function keepManagedFields(draft: Draft, before: ObjectMeta['managedFields'], context: WriteContext): void {
  const { managedFields } = metadataOf(draft);
  const problem = managedFields === before ? undefined : managedFieldsProblem(managedFields);
  if (problem === undefined) return;
  setManagedFields(draft, before);
  context.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
}

/** Said where it was a webhook that repeated an owner. */
export const afterMutation = ' after mutating admission happens';

/** A duplicate owner reference is dropped, with a warning. */
export function dedupOwnerReferences(meta: Mutable<ObjectMeta>, context: WriteContext, when = ''): void {
  const owners = meta.ownerReferences;
  if (!owners || owners.length < 2) return;
  const distinct = new Map<string, OwnerReference>();
  const repeated: OwnerReference[] = [];
  for (const owner of owners) {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (distinct.has(identity)) repeated.push(owner);
    else distinct.set(identity, owner);
  }
  if (repeated.length === 0) return;
  meta.ownerReferences = [...distinct.values()];
  const uids = [...new Set(repeated.map(({ uid }) => uid))].join(', ');
  context.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}

/** A body may leave its namespace out, but not name another; what is cluster-wide has none, whatever it says. */
export function checkNamespace(resource: Resource, namespace: string, meta: Mutable<ObjectMeta>): void {
  if (!resource.namespaced) delete meta.namespace;
  else if (meta.namespace === undefined || meta.namespace === '') meta.namespace = namespace;
  else if (meta.namespace !== namespace) {
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Keeps a place for the version among the fields of the metadata, where Go prints it; the storage fills it in. */
export function placeResourceVersion(draft: Draft): void {
  const given = metadataOf(draft) as Readonly<Record<string, unknown>>;
  const placed: Record<string, unknown> = {};
  for (const key in given) if (leading.has(key)) placed[key] = given[key];
  placed['uid'] = given['uid'];
  placed['resourceVersion'] = '';
  for (const key in given)
    if (!leading.has(key) && key !== 'uid' && key !== 'resourceVersion') placed[key] = given[key];
  draft.metadata = placed as Draft['metadata'];
}

const leading = new Set(['name', 'generateName', 'namespace', 'selfLink']);

/** Metadata that no client may change. */
export function keepSystemMetadata(draft: Draft, old: KubeObject): void {
  const meta = metadataOf(draft);
  const keep = <K extends keyof ObjectMeta>(field: K) => {
    if (old.metadata[field] === undefined) delete meta[field];
    else (meta as Record<string, unknown>)[field] = old.metadata[field];
  };
  keep('generation');
  keep('selfLink');
  keep('creationTimestamp');
  if (meta.uid === undefined) keep('uid');
  if (meta.deletionTimestamp === undefined) keep('deletionTimestamp');
  if (meta.deletionGracePeriodSeconds === undefined) keep('deletionGracePeriodSeconds');
}

/** Shares all fields that a status update does not change with the old object. */
export function keepAllButStatus(draft: Draft, old: KubeObject, keepsMetadata: boolean): void {
  const { status, metadata } = draft;
  for (const key of Object.keys(draft)) if (!Object.hasOwn(old, key)) delete draft[key];
  Object.assign(draft, old);
  if (status !== undefined) draft.status = status;
  else if (draft.status !== undefined) delete draft.status;
  draft.metadata = keepsMetadata ? ({ ...old.metadata } as Draft['metadata']) : metadata;
  if (keepsMetadata) setManagedFields(draft, metadata?.managedFields);
}

/** Reading drops empty lists, but an empty list of managers means something: forget them. */
export function keepClearedManagers(raw: unknown, draft: Draft): void {
  const entries = (raw as { metadata?: { managedFields?: unknown } | null } | null)?.metadata?.managedFields;
  if (Array.isArray(entries) && entries.length === 0) metadataOf(draft).managedFields = [];
}
