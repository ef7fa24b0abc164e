import type { DynamicObject } from '@tektite/meta';
import type { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, identityText } from '../object-identity.ts';
import { formatOrigin } from '../origin.ts';
import type { Scopes } from '../scopes.ts';

export interface PlaceOptions {
  /** For objects of namespaced kinds that name none. Default `default`. */
  readonly namespace?: string;
  readonly scopes: Scopes;
}

/**
 * The manifest as it is sent: every object of a namespaced kind in a namespace, all others in none, each object once, without
 * what only a server can say (status, uid, resourceVersion, managedFields).
 */
export function placeObjects(manifest: Manifest, { namespace = 'default', scopes }: PlaceOptions): Manifest {
  for (const { object, origin } of manifest.items) {
    if (object.metadata.name || object.metadata.generateName) continue;
    throw new ManifestError('INVALID', `${formatOrigin(origin)}: the ${object.kind} has no name; set metadata.name`, {
      place: origin,
    });
  }
  return manifest
    .transform(function place(draft): DynamicObject | void {
      const { metadata } = draft;
      if (scopes.of(draft) === 'Cluster') delete metadata.namespace;
      else if (!metadata.namespace) metadata.namespace = namespace;
      delete metadata.managedFields;
      delete metadata.resourceVersion;
      delete metadata.uid;
      delete metadata.creationTimestamp;
      delete metadata.generation;
      delete metadata.selfLink;
      delete draft.status;
    })
    .withoutDuplicates(identityText);
}

/** The label of the set cannot be given by the author of an object. */
export function refuseLabel(manifest: Manifest, label: string): void {
  const found = manifest.items.find(({ object }) => object.metadata.labels?.[label] !== undefined);
  if (!found) return;
  throw new ManifestError(
    'APPLY_SET',
    `${formatOrigin(found.origin)}: ${describeObject(found.object)} has the label ${label}, which only the tool that applies it may set`,
    { place: found.origin },
  );
}
