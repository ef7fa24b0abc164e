import type { KubeObject } from '@tektite/meta';
import { checkTyped } from '../apply/check-typed.ts';
import type { ChangeInVersion, ChangesInVersions } from '../apply/field-manager.ts';
import { apiVersionOf, type Draft, type Resource } from '../registry/resource.ts';

const none: ChangesInVersions = new Map();

/**
 * A write as those see it who own fields in another version of the object. Nearly always there are none, and nothing is
 * done. `undefined` when the object does not fit such a version: upstream then forgets all owners.
 */
export async function changesInVersions(
  resource: Resource,
  live: KubeObject,
  wanted: KubeObject,
): Promise<ChangesInVersions | undefined> {
  if (!resource.inVersion) return none;
  const own = apiVersionOf(resource);
  const owners = [...(live.metadata.managedFields ?? []), ...(wanted.metadata.managedFields ?? [])];
  const foreign = new Set(owners.map(({ apiVersion = own }) => apiVersion).filter((version) => version !== own));
  if (foreign.size === 0) return none;
  const { managedFields: _, ...metadata } = wanted.metadata;
  const changes = new Map<string, ChangeInVersion | undefined>();
  for (const apiVersion of foreign) {
    try {
      const before = await resource.inVersion(live, apiVersion);
      const after = await resource.inVersion({ ...wanted, metadata }, apiVersion);
      if (before && after && [before, after].some(({ schema, object }) => checkTyped(schema, object).length > 0))
        return undefined;
      changes.set(
        apiVersion,
        before && after && { schema: before.schema, live: before.object as Draft, wanted: after.object as Draft },
      );
    } catch {
      return undefined;
    }
  }
  return changes;
}
