import { formatGroupKind, type KubeObject, parseApiVersion } from '@tektite/meta';

/** Which object: versions of a kind show the same one. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The API group, which is empty for the core group. */
export function groupOf({ apiVersion }: { readonly apiVersion: string }): string {
  return parseApiVersion(apiVersion)?.group ?? '';
}

/** `Deployment.apps`, or `Pod`. */
export function groupKindOf(object: { readonly apiVersion: string; readonly kind: string }): string {
  return formatGroupKind(groupOf(object), object.kind);
}

export function referenceTo(object: KubeObject): ObjectReference {
  const { name = '', namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, ...(namespace ? { namespace } : {}), name };
}

/** Equal for equal objects, whatever the version. */
export function identityText(object: KubeObject | ObjectReference): string {
  const { namespace = '', name = '' } = 'metadata' in object ? object.metadata : object;
  return `${groupKindOf(object)}/${namespace}/${name}`;
}

/** `deployment.apps tekton-pipelines/webhook`: the name of an object in messages. */
export function describeObject(object: KubeObject | ObjectReference): string {
  const metadata: { namespace?: string; name?: string; generateName?: string } =
    'metadata' in object ? object.metadata : object;
  const name = metadata.name || (metadata.generateName ? `${metadata.generateName}*` : '(no name)');
  const group = groupOf(object);
  const kind = group === '' ? object.kind.toLowerCase() : `${object.kind.toLowerCase()}.${group}`;
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${name}`;
}
