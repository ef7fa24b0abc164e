import { identityText } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { TektonInstallerSet } from '../kinds/kinds.ts';

/** The objects of a set. An edited one may contain anything. */
export function objectsOf({ spec }: TektonInstallerSet): readonly DynamicObject[] {
  if (!Array.isArray(spec?.manifests)) return [];
  return (spec.manifests as readonly unknown[]).filter(isObject);
}

/** Validates the manifests of a set; nothing when they can be installed. */
export function manifestsError({ spec }: TektonInstallerSet): string | undefined {
  const manifests: unknown = spec?.manifests;
  if (manifests === undefined || manifests === null) return undefined;
  if (!Array.isArray(manifests)) return 'spec.manifests is no list';
  const index = manifests.findIndex((item) => !isObject(item));
  return index < 0 ? undefined : `spec.manifests[${index}] is no Kubernetes object`;
}

function isObject(value: unknown): value is DynamicObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<DynamicObject>;
  return (
    typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata === 'object' && metadata !== null
  );
}

/**
 * The objects of a set that no older set has. Releases of several components have a ConfigMap of the same name, and in
 * one namespace there can be but one: the oldest set manages it, and the others leave it alone.
 */
export function ownObjects(set: TektonInstallerSet, all: readonly TektonInstallerSet[]): readonly DynamicObject[] {
  const objects = objectsOf(set);
  const taken = new Set(
    all
      .filter(
        (other) => other.metadata.uid !== set.metadata.uid && !other.metadata.deletionTimestamp && isOlder(other, set),
      )
      .flatMap((other) => objectsOf(other).map(identityText)),
  );
  return taken.size === 0 ? objects : objects.filter((object) => !taken.has(identityText(object)));
}

function isOlder({ metadata: a }: TektonInstallerSet, { metadata: b }: TektonInstallerSet): boolean {
  const [first, second] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return first === second ? (a.uid ?? '') < (b.uid ?? '') : first < second;
}
