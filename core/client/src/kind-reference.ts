import type { DynamicObject, KubeObject, ObjectMeta } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { ClientError } from './client-error.ts';

/** A kind by name. Which resource that is, the server is asked once. Any object is one, so `client.get(object, ...)` works. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kind argument of verbs: a `Kind` gives typed objects, a name gives {@link DynamicObject}s. */
export type KindReference<T extends KubeObject = DynamicObject> = Kind<T> | KindName;

/** The part of a kind that the verbs need. */
export type ResolvedKind = Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'scope'>;

/** Which object of a kind. The namespace is needed for namespaced kinds, and for these alone. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** An object to be written: its kind may be left to the `Kind` that goes with it. */
export type NewObject<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind'> & Partial<Pick<T, 'apiVersion' | 'kind'>>;

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** An apply configuration: the name, and the fields that the manager owns. */
export type Configuration<T extends KubeObject> = DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta & { readonly name: string };
};

export function isKind(reference: KindReference<KubeObject>): reference is Kind {
  return 'plural' in reference && 'scope' in reference;
}

/** The key of an object that has a name. */
export function keyOf(object: KubeObject): ObjectKey {
  const { name, namespace } = object.metadata;
  if (!name) throw new ClientError('INVALID_REQUEST', `the ${object.kind} has no name; set metadata.name`);
  return namespace ? { namespace, name } : { name };
}
