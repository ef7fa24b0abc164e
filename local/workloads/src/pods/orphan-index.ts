import type { SourceCache, SourceTarget } from '@tektite/controller';
import { controllerOf, type KubeObject } from '@tektite/meta';

const index = 'orphans';

/** Indexes objects without a controller by namespace. All informers share one function, as caches are shared. */
const orphansByNamespace = (object: KubeObject): string[] =>
  controllerOf(object) ? [] : [object.metadata.namespace ?? ''];

/** For sources: `mapped(kinds.Pod, keysOf, { indexes: orphanIndex })`. */
export const orphanIndex = { [index]: orphansByNamespace };

/** Everything that is the owner's, or could become it. */
export function claimable<T extends KubeObject>(cache: SourceCache<T>, owner: KubeObject): T[] {
  const namespace = owner.metadata.namespace ?? '';
  return [...cache.ownedBy(owner), ...cache.byIndex(index, namespace)];
}

/** The keys of those of the controller's kind that a change of the object concerns: its controller, or all who might want it. */
export function controllerKeys({ metadata }: KubeObject, own: SourceTarget): string[] {
  const { namespace = '' } = metadata;
  const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (controller) return controller.kind === own.kind.kind ? [`${namespace}/${controller.name}`] : [];
  const prefix = `${namespace}/`;
  return [...own.keys()].filter((key) => key.startsWith(prefix));
}
