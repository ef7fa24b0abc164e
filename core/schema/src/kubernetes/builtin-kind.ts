import type { JsonSchema } from '../structural-schema.ts';
import { builtinSchema } from './builtin-schema.ts';
import { type Definition, definitionOf, findDefinition } from './definition.ts';
import { definitionKey } from './go-package.ts';
import { apiGroups, type ResourceRow } from './resources.ts';

/** A resource that every Kubernetes API server has, as discovery describes it, with its type. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent for what cannot be listed. */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
  /** False for what is computed or only acted upon (reviews, bindings, component statuses). */
  readonly stored: boolean;
  /** How its Go type is declared; read on first use. */
  readonly definition: Definition;
  /** Made on first use. */
  readonly schema: JsonSchema;
}

export interface BuiltinSubresource {
  readonly name: string;
  readonly kind: string;
  /** Present, with `version`, when the kind is not of the resource's own group. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** All built-in resources, groups in the order of `/apis`, resources in the order of discovery. */
export const builtinKinds: readonly BuiltinKind[] = apiGroups.flatMap(({ group, version, resources }) =>
  resources.map((row) => makeKind(group, version, row)),
);

function makeKind(group: string, version: string, row: ResourceRow): BuiltinKind {
  const verbs = row.verbs?.split(' ') ?? allVerbs;
  const key = definitionKey(group, version, row.kind);
  return {
    group,
    version,
    kind: row.kind,
    ...(verbs.includes('list') ? { listKind: `${row.kind}List` } : {}),
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    shortNames: row.shortNames?.split(' ') ?? [],
    categories: row.categories?.split(' ') ?? [],
    namespaced: row.namespaced === true,
    verbs,
    subresources: (row.subresources ?? []).map((subresource) =>
      typeof subresource === 'string'
        ? { name: subresource, kind: row.kind, verbs: ['get', 'patch', 'update'] }
        : { ...subresource, kind: subresource.kind ?? row.kind, verbs: subresource.verbs.split(' ') },
    ),
    stored: verbs.includes('delete'),
    get definition() {
      return definitionOf(key);
    },
    get schema() {
      return builtinSchema(key);
    },
  };
}

const byResource = new Map(builtinKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
const byKind = new Map(builtinKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.kind}`, kind]));

export function findBuiltinResource(group: string, version: string, plural: string): BuiltinKind | undefined {
  return byResource.get(`${group}/${version}/${plural}`);
}

export function findBuiltinKind(group: string, version: string, kind: string): BuiltinKind | undefined {
  return byKind.get(`${group}/${version}/${kind}`);
}

/**
 * The definition of any type of the API that has a kind, including those that are no resource: `autoscaling/v1` Scale,
 * `policy/v1` Eviction. DeleteOptions and the like are kinds of every group.
 */
export function findBuiltinDefinition(group: string, version: string, kind: string): Definition | undefined {
  return findDefinition(definitionKey(group, version, kind)) ?? findDefinition(`meta/v1.${kind}`);
}
