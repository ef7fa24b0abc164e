import type { StructDefinition } from '@tektite/go';
import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { CustomResourceSubresources, PrinterColumn } from '../definition/custom-resource-definition.ts';
import type { JsonSchema } from '../structural-schema.ts';
import type { InferShape, Schema } from './schema-builder.ts';

/**
 * One kind in one version: everything code needs to know about it, in one value. `T` is the type of its objects; it is
 * inferred from the schema and never written down again.
 */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The schema of whole objects; `undefined` when nothing is known about them. */
  readonly schema: JsonSchema | undefined;
  /** The schemas of the fields besides apiVersion, kind and metadata, as they were built. */
  readonly fields?: Fields;
  readonly columns: readonly PrinterColumn[];
  readonly subresources: CustomResourceSubresources;
  /** JSON paths by which objects can be selected, besides their name. */
  readonly selectableFields: readonly string[];
  readonly deprecated?: true | string;
  /** Labels of the definition, by which other programs find it. */
  readonly definitionLabels?: Readonly<Record<string, string>>;
  /** The Go struct of upstream's objects, for kinds that are defined by one. */
  readonly struct?: StructDefinition;
  /** Only for the type system; there is no such property. */
  readonly '~object'?: T;
}

/** The type of the objects of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown, boolean>>>;

export interface KindOptions<F extends Fields> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The fields besides apiVersion, kind and metadata. A `status` also becomes a subresource. */
  readonly fields: F;
  readonly columns?: readonly PrinterColumn[];
  readonly scale?: CustomResourceSubresources['scale'];
  readonly selectableFields?: readonly string[];
  readonly description?: string;
  /** True, or the warning that clients are to get. */
  readonly deprecated?: true | string;
  /** Labels of the definition, by which other programs find it. */
  readonly definitionLabels?: Readonly<Record<string, string>>;
}

/** The objects of a kind with these fields. */
export type KindObject<F extends Fields> = KubeObject & InferShape<F>;

/**
 * Defines a kind. From this one value come the type, the definition the server is given, defaulting, pruning and
 * validation.
 *
 * @example
 * const Memcached = defineKind({
 *   group: 'cache.example.com', version: 'v1', kind: 'Memcached',
 *   fields: {
 *     spec: s.object({ size: s.integer({ minimum: 1 }).default(1) }),
 *     status: s.object({ nodes: s.list(s.string()).optional() }).optional(),
 *   },
 * });
 * type Memcached = ObjectOf<typeof Memcached>;
 */
export function defineKind<const F extends Fields>(options: KindOptions<F>): Kind<KindObject<F>> {
  const { fields } = options;
  const singular = options.singular ?? options.kind.toLowerCase();
  return {
    group: options.group,
    version: options.version,
    kind: options.kind,
    plural: options.plural ?? `${options.kind.toLowerCase()}s`,
    singular,
    listKind: options.listKind ?? `${options.kind}List`,
    scope: options.scope ?? 'Namespaced',
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    schema: objectSchema(fields, options.description),
    fields,
    columns: options.columns ?? [],
    subresources: {
      ...(Object.hasOwn(fields, 'status') ? { status: {} } : {}),
      ...(options.scale ? { scale: options.scale } : {}),
    },
    selectableFields: options.selectableFields ?? [],
    ...(options.deprecated === undefined ? {} : { deprecated: options.deprecated }),
    ...(options.definitionLabels ? { definitionLabels: options.definitionLabels } : {}),
  };
}

/** A kind of which only the names are known, for objects that are defined elsewhere. */
export function dynamicKind<T extends KubeObject = KubeObject>(
  names: Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'scope'>,
): Kind<T> {
  return {
    ...names,
    singular: names.kind.toLowerCase(),
    listKind: `${names.kind}List`,
    shortNames: [],
    categories: [],
    schema: undefined,
    columns: [],
    subresources: {},
    selectableFields: [],
  };
}

function objectSchema(fields: Fields, description: string | undefined): JsonSchema {
  const names = Object.keys(fields);
  const needed = names.filter((name) => !fields[name]?.isOptional && fields[name]?.schema.default === undefined);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...Object.fromEntries(names.map((name) => [name, (fields[name] as Schema<unknown, boolean>).schema])),
    },
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

/** `apps/v1`, as objects of the kind say it. */
export function apiVersionOf(kind: Pick<Kind, 'group' | 'version'>): string {
  return formatApiVersion(kind);
}
