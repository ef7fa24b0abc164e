import type { DynamicObject } from '@tektite/meta';

/** `Deployment ns/web`, `ClusterRole reader`: the name of an object in messages. */
export function shownObject({ kind, metadata }: Pick<DynamicObject, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name ?? ''}`;
}
