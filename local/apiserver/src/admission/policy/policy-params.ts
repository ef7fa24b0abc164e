import { formatApiVersion, type KubeObject, labelSelectorOf, parseApiVersion } from '@tektite/meta';
import type { ParamKind, ParamRef } from '@tektite/schema/kubernetes';
import { type Resource, storageKey } from '../../registry/resource.ts';
import type { ResourceTable } from '../../registry/resource-table.ts';
import type { Storage } from '../../storage/storage.ts';

/** A policy or binding that cannot be used as it is. Its failure policy decides what that means. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError';
}

/** The resource that the parameters of a policy are. */
export function paramResource(resources: ResourceTable, { apiVersion = '', kind = '' }: ParamKind): Resource {
  const groupVersion = parseApiVersion(apiVersion);
  const found = groupVersion && resources.findKind(groupVersion.group, groupVersion.version, kind);
  if (found) return found;
  const name = groupVersion ? formatApiVersion(groupVersion) : apiVersion;
  throw new PolicyConfigurationError(
    `failed to find resource referenced by paramKind: '${name.includes('/') ? name : `/${name}`}, Kind=${kind}'`,
  );
}

/**
 * The parameters that a binding chooses; a policy is evaluated once for each. `undefined` stands for none, where policy or
 * binding want none. An empty list means that the binding does not apply.
 */
export async function collectParams(
  storage: Storage,
  resource: Resource | undefined,
  reference: ParamRef | undefined,
  namespace: string,
): Promise<readonly (KubeObject | undefined)[]> {
  if (!resource || !reference) return [undefined];
  if (reference.namespace && !resource.namespaced)
    throw new PolicyConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const where = reference.namespace || namespace;
  if (resource.namespaced && where === '')
    throw new PolicyConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  const stored = find(storage, resource, reference, where);
  if (stored.length === 0 && reference.parameterNotFoundAction === 'Deny')
    throw new PolicyConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return resource.fromStorage ? resource.fromStorage(stored) : stored;
}

function find(storage: Storage, resource: Resource, { name, selector }: ParamRef, namespace: string): KubeObject[] {
  if (name) {
    const entry = storage.latest(storageKey(resource, namespace, name));
    return entry ? [entry.value] : [];
  }
  if (!selector) throw new PolicyConfigurationError('one of name or selector must be provided');
  const selects = labelSelectorOf(selector);
  return storage
    .list(storageKey(resource, namespace, ''))
    .entries.map(({ value }) => value)
    .filter(({ metadata }) => selects.matches(metadata.labels));
}
