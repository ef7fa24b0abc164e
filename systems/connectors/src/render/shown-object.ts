import type { DynamicObject } from '@tektite/meta';

/** `Deployment ns/web`, `ClusterRole reader`: how people are told of an object. */
export function shownObject({ kind, metadata }: Pick<DynamicObject, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name ?? ''}`;
}
