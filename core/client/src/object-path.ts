import { ClientError } from './client-error.ts';
import type { ObjectKey, ResolvedKind } from './kind-reference.ts';

/** `/apis/apps/v1/namespaces/default/deployments`, or all namespaces' without one. */
export function collectionPath(kind: ResolvedKind, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (namespace === undefined || namespace === '') return `${root}/${kind.plural}`;
  if (kind.scope === 'Cluster')
    throw new ClientError(
      'INVALID_REQUEST',
      `${kind.kind} objects are in no namespace, yet ${JSON.stringify(namespace)} was given; leave it out`,
    );
  return `${root}/namespaces/${segment(namespace, 'namespace')}/${kind.plural}`;
}

/** The path of the place where objects are created: namespaced kinds need a namespace. */
export function creationPath(kind: ResolvedKind, namespace: string | undefined): string {
  if (kind.scope === 'Namespaced' && !namespace)
    throw new ClientError('INVALID_REQUEST', `${kind.kind} objects are in a namespace and none was given; name it`);
  return collectionPath(kind, namespace);
}

/** The path of one object, or of one of its subresources. */
export function objectPath(kind: ResolvedKind, key: ObjectKey, subresource?: string): string {
  const path = `${creationPath(kind, key.namespace)}/${segment(key.name, 'name')}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Names that would lead to another path are rejected, as upstream's client does; no object has such a name. */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text))
    throw new ClientError('INVALID_REQUEST', `${JSON.stringify(text)} is not possible as a ${what}`);
  return encodeURIComponent(text);
}
