import type { KubeObject, ObjectMeta } from '@tektite/meta';
import type { Kind } from '@tektite/schema';

/**
 * Transforms an object before it is stored. It must not change its argument, which may be shared; it may share parts
 * with it. Name, namespace, uid, resourceVersion and finalizers have to stay.
 */
export type Transform<In, Out> = (object: In) => Out;

/**
 * Drops `managedFields`, often half of an object. The default of controllers: unlike {@link strip} it keeps everything
 * that an update would remove by not sending it. Servers keep the managed fields of an update without any.
 */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object without what only field managers read. */
export type Stripped<T extends KubeObject> = Omit<T, 'metadata'> & {
  readonly metadata: Omit<T['metadata'], 'managedFields'>;
};

/** Drops `managedFields` and kubectl's last-applied annotation: often half of an object, and no controller's business. */
export function strip<T extends KubeObject>(object: T): Stripped<T> {
  const { managedFields: _, ...metadata } = object.metadata;
  if (!metadata.annotations || !Object.hasOwn(metadata.annotations, lastApplied))
    return { ...object, metadata } as Stripped<T>;
  const { [lastApplied]: __, ...annotations } = metadata.annotations;
  return { ...object, metadata: { ...metadata, annotations } } as Stripped<T>;
}

/** An object of which only the metadata is kept. */
export interface ObjectMetadata {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Omit<ObjectMeta, 'managedFields'>;
}

/** Keeps metadata alone. `metadataTransport` saves the network the rest, too. */
export function metadataOnly(object: KubeObject): ObjectMetadata {
  const { apiVersion, kind, metadata } = strip<KubeObject>(object);
  return { apiVersion, kind, metadata };
}

/** Which fields to keep: `true` for all that is below, or which of it. In a list, the same of each item. */
export type Fields<T> = T extends readonly (infer E)[]
  ? Fields<E>
  : T extends object
    ? { readonly [K in keyof T]?: true | Fields<NonNullable<T[K]>> }
    : true;

/** The type that is left. Optional fields stay optional. */
export type Projected<T, F> = F extends true
  ? T
  : T extends readonly (infer E)[]
    ? readonly Projected<E, F>[]
    : T extends object
      ? { readonly [K in keyof T as K extends keyof F ? K : never]: Projected<T[K], F[K & keyof F]> }
      : T;

/** Kept of every object, so that it can be found and its life followed. */
type Identity = 'name' | 'namespace' | 'uid' | 'resourceVersion' | 'generation' | 'deletionTimestamp' | 'finalizers';

export type ProjectedObject<T extends KubeObject, F> = Pick<T, 'apiVersion' | 'kind'> &
  Projected<Omit<T, 'apiVersion' | 'kind' | 'metadata'>, F> & {
    readonly metadata: Pick<T['metadata'], Identity> &
      (F extends { readonly metadata: infer M } ? Projected<T['metadata'], M> : unknown);
  };

const identity: FieldTree = {
  name: true,
  namespace: true,
  uid: true,
  resourceVersion: true,
  generation: true,
  deletionTimestamp: true,
  finalizers: true,
};

/**
 * Keeps the declared fields and nothing else, in the object and in its type: reading another field does not compile.
 * Beside them, `apiVersion`, `kind` and of the metadata name, namespace, uid, resourceVersion, generation,
 * deletionTimestamp and finalizers stay.
 *
 * @example
 * const transform = project(kinds.Pod, { metadata: { labels: true }, spec: { nodeName: true }, status: { phase: true } });
 * // pod.spec?.nodeName is a string or undefined; pod.spec?.containers is a type error
 */
export function project<T extends KubeObject, const F extends Fields<Omit<T, 'apiVersion' | 'kind'>>>(
  _kind: Kind<T>,
  fields: F,
): Transform<T, ProjectedObject<T, F>> {
  const { metadata = {}, ...rest } = fields as FieldTree;
  const all: FieldTree = {
    ...rest,
    apiVersion: true,
    kind: true,
    metadata: metadata === true ? true : { ...metadata, ...identity },
  };
  return (object) => keep(object, all) as ProjectedObject<T, F>;
}

interface FieldTree {
  readonly [field: string]: true | FieldTree;
}

/** Bounded by the depth of the declaration, whatever the object looks like. */
function keep(value: unknown, fields: true | FieldTree): unknown {
  if (fields === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => keep(item, fields));
  const result: Record<string, unknown> = {};
  for (const field of Object.keys(fields)) {
    if (Object.hasOwn(value, field))
      result[field] = keep((value as Record<string, unknown>)[field], fields[field] ?? true);
  }
  return result;
}
