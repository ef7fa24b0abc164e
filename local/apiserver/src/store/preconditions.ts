import {
  alreadyExistsError,
  conflictError,
  type FieldError,
  invalidObjectError,
  type KubeObject,
  quoteGo,
  StatusError,
} from '@tektite/meta';
import { metadataOf } from './draft-metadata.ts';
import { type Draft, errorTarget, type Resource } from '../registry/resource.ts';

export function checkPreconditions(resource: Resource, name: string, draft: Draft, old: KubeObject): void {
  const { resourceVersion } = metadataOf(draft);
  checkVersionSyntax(resourceVersion);
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

/** An update has a number for a version, also where it creates. */
export function checkVersionSyntax(resourceVersion = ''): void {
  if (resourceVersion === '' || /^[0-9]+$/.test(resourceVersion)) return;
  throw new StatusError({
    code: 500,
    message: `strconv.ParseUint: parsing ${quoteGo(resourceVersion)}: invalid syntax`,
  });
}

/** A name stays taken while its object is being deleted, which is worth saying. */
export function takenError(resource: Resource, existing: KubeObject): StatusError {
  const error = alreadyExistsError(errorTarget(resource), existing.metadata.name ?? '');
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
}

/** Upstream lets the words of its storage through here. An object that is not there has no uid. */
export function checkUid(
  resource: Resource,
  key: string,
  name: string,
  object: KubeObject | undefined,
  uid: string,
): void {
  const actual = object?.metadata.uid ?? '';
  if (actual === uid) return;
  throw conflictError(
    errorTarget(resource),
    name,
    preconditionText(key, `UID in precondition: ${uid}, UID in object meta: ${actual}`),
  );
}

/** Folders of upstream's storage that are not named after their resource. */
const storageFolders: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
};

function preconditionText(key: string, failure: string): string {
  const shown = key.replace(
    /^\/registry\/([a-z]+)\//,
    (_, plural: string) => `/registry/${storageFolders[plural] ?? plural}/`,
  );
  return `StorageError: invalid object, Code: 4, Key: ${shown}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${failure}`;
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
