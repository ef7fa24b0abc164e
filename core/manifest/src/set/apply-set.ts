import { createHash } from 'node:crypto';
import type { Client } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import type { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, groupKindOf, groupOf, type ObjectReference } from '../object-identity.ts';

/** The words of KEP-3659, by which any tool can see what belongs together. */
export const partOfLabel = 'applyset.kubernetes.io/part-of';
const idLabel = 'applyset.kubernetes.io/id';
const toolingAnnotation = 'applyset.kubernetes.io/tooling';
const groupKindsAnnotation = 'applyset.kubernetes.io/contains-group-kinds';
const namespacesAnnotation = 'applyset.kubernetes.io/additional-namespaces';

const tool = 'tektite';
const tooling = `${tool}/v0.1.0`;

/** A set of objects that is applied again and again, by the object that stands for it. */
export interface ApplySet {
  readonly name: string;
  /** Empty for a parent that is in no namespace. */
  readonly namespace: string;
  /** Default a ConfigMap; a custom resource has to be of a kind that is labelled as a parent. */
  readonly parent?: { readonly apiVersion: string; readonly kind: string };
}

/** The contents of a set, as its parent records them. */
export interface SetContents {
  /** `Deployment.apps`, `ConfigMap`. */
  readonly groupKinds: readonly string[];
  /** Without the parent's own. */
  readonly namespaces: readonly string[];
}

export function parentReference(set: ApplySet): ObjectReference {
  const { apiVersion = 'v1', kind = 'ConfigMap' } = set.parent ?? {};
  return { apiVersion, kind, name: set.name, ...(set.namespace ? { namespace: set.namespace } : {}) };
}

/** The id by which members know their set. */
export function applySetId(set: ApplySet): string {
  const { apiVersion, kind, name } = parentReference(set);
  const text = `${name}.${set.namespace}.${kind}.${groupOf({ apiVersion })}`;
  return `applyset-${createHash('sha256').update(text).digest('base64url')}-v1`;
}

/** The contents of a manifest, in the form of a parent. */
export function contentsOf(manifest: Manifest, set: ApplySet): SetContents {
  const namespaces = manifest.objects.map(({ metadata }) => metadata.namespace ?? '');
  return {
    groupKinds: sorted(manifest.objects.map(groupKindOf)),
    namespaces: sorted(namespaces).filter((namespace) => namespace !== '' && namespace !== set.namespace),
  };
}

export function unionOf(a: SetContents, b: SetContents): SetContents {
  return {
    groupKinds: sorted([...a.groupKinds, ...b.groupKinds]),
    namespaces: sorted([...a.namespaces, ...b.namespaces]),
  };
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/**
 * Reads the contents of the set from its parent; undefined when there is no parent yet. Rejects a parent of another
 * tool.
 */
export async function readSet(client: Client, set: ApplySet, signal?: AbortSignal): Promise<SetContents | undefined> {
  const reference = parentReference(set);
  const parent = await client.getOrUndefined(reference, reference, signal ? { signal } : {});
  return parent && readParent(parent, set);
}

function readParent(parent: DynamicObject, set: ApplySet): SetContents | undefined {
  const what = describeObject(parent);
  const { labels = {}, annotations = {} } = parent.metadata;
  const id = labels[idLabel];
  // A custom resource is there before it becomes a parent.
  if (id === undefined && set.parent) return undefined;
  if (id === undefined)
    throw notOurs(`${what} exists and stands for no set: it has no label ${idLabel}; take another name for the set`);
  if (id !== applySetId(set)) throw notOurs(`${what} has the label ${idLabel}: ${id}, which is of another object`);
  const owner = annotations[toolingAnnotation] ?? '';
  if (owner.split('/', 1)[0] !== tool) throw notOurs(`${what} stands for a set of ${owner || 'an unknown tool'}`);
  return { groupKinds: words(annotations[groupKindsAnnotation]), namespaces: words(annotations[namespacesAnnotation]) };
}

function notOurs(message: string): ManifestError {
  return new ManifestError('APPLY_SET', message);
}

function words(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Says in the parent what the set holds. */
export async function writeSet(
  client: Client,
  set: ApplySet,
  contents: SetContents,
  options: { readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<DynamicObject> {
  const { apiVersion, kind, name, namespace } = parentReference(set);
  const parent: DynamicObject = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      labels: { [idLabel]: applySetId(set) },
      annotations: {
        [toolingAnnotation]: tooling,
        [groupKindsAnnotation]: contents.groupKinds.join(','),
        [namespacesAnnotation]: contents.namespaces.join(','),
      },
    },
  };
  return client.apply(parent, { ...options, fieldManager: `${options.fieldManager}-set`, force: true });
}
