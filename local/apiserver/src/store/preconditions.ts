import {
  alreadyExistsError,
  conflictError,
  type FieldError,
  invalidObjectError,
  type KubeObject,
  StatusError,
} from '@tektite/meta';
import { metadataOf } from './draft-metadata.ts';
import { type Draft, errorTarget, type Resource } from '../registry/resource.ts';

export function checkPreconditions(resource: Resource, name: string, draft: Draft, old: KubeObject): void {
  const { resourceVersion } = metadataOf(draft);
  if (resourceVersion !== undefined && resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw new StatusError({
      code: 500,
      message: `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    });
  }
  const conditional = resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== '0';
  if (!conditional && resource.strategy.allowUnconditionalUpdate === false) {
    throw invalidObjectError(resource.group, resource.plural, name, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0: must be specified for an update',
      },
    ]);
  }
  if (conditional && resourceVersion !== old.metadata.resourceVersion) throw conflictError(errorTarget(resource), name);
}

/** A name stays taken while its object is being deleted, which is worth saying. */
export function takenError(resource: Resource, existing: KubeObject): StatusError {
  const error = alreadyExistsError(errorTarget(resource), existing.metadata.name ?? '');
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
}

/** Upstream lets the words of its storage through here. */
export function checkUid(resource: Resource, key: string, object: KubeObject, uid: string): void {
  if (object.metadata.uid === uid) return;
  throw conflictError(
    errorTarget(resource),
    object.metadata.name ?? '',
    preconditionText(key, `UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`),
  );
}

function preconditionText(key: string, failure: string): string {
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${failure}`;
}

/** Being deleted, with no grace period left and nothing holding it. */
export function isReadyToGo(object: KubeObject, resource: Resource): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  if ((deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return (
    resource.kind !== 'Namespace' ||
    ((object as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers?.length ?? 0) === 0
  );
}

/** Refuses an object of which something is wrong. */
export function refuseInvalid({ strategy, group, kind }: Resource, draft: Draft, errors: readonly FieldError[]): void {
  if (errors.length > 0)
    throw invalidObjectError(strategy.errorGroup ?? group, kind, metadataOf(draft).name ?? '', errors);
}
