import { canonicalHash } from '@tektite/manifest';
import { type DynamicObject, equalJson, parseApiVersion } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { compareFields, fieldIn, type FieldPlace } from './compare-fields.ts';
import { appliedFields, droppedFields } from './dropped-fields.ts';
import { ownerDifference } from './hash-method.ts';
import type { Difference, InstallMethod } from './install-method.ts';
import { isRecord, propertySchema } from './keyed-list.ts';
import { scaledReplicas } from './scaled-replicas.ts';

/** The managed fields of a kind. Labels and annotations that the set names are always managed. */
export interface ManagedPaths {
  /** `spec.template`. */
  readonly managed: readonly string[];
  /** A difference here requires that the object is recreated. */
  readonly immutable?: readonly string[];
}

export interface PathMethodOptions {
  /** By kind; `*` for all others. */
  readonly kinds: Readonly<Record<string, ManagedPaths>>;
  /** Last changes of what is wanted, as the process's own proxy settings. */
  readonly adjust?: (wanted: DynamicObject) => DynamicObject;
}

/** Kinds that autoscalers scale. */
const scalable = ['Deployment', 'StatefulSet'];
const always = ['metadata.labels', 'metadata.annotations'];

/**
 * Method two: what is managed is compared field by field each time, so a change of it is reverted, and all else is left to others.
 * Replicas are those of the autoscaler if there is one.
 */
export function pathMethod({ kinds, adjust }: PathMethodOptions): InstallMethod {
  const pathsOf = ({ kind }: DynamicObject): ManagedPaths =>
    (Object.hasOwn(kinds, kind) ? kinds[kind] : kinds['*']) ?? { managed: [] };
  return {
    remembersFields: true,
    scales: ({ kind }) => scalable.includes(kind),
    prepare(wanted, { autoscaler }) {
      const adjusted = adjust?.(wanted) ?? wanted;
      if (!scalable.includes(wanted.kind)) return adjusted;
      const spec = (adjusted.spec ?? {}) as { replicas?: number };
      return { ...adjusted, spec: { ...spec, replicas: scaledReplicas(spec.replicas, autoscaler) } };
    },
    compare(prepared, live, fieldManager) {
      const { managed, immutable = [] } = pathsOf(prepared);
      const schema = schemaOf(prepared);
      const fixed = immutable.filter((path) => !isSame(partAt(prepared, path, schema), partAt(live, path, schema)));
      if (fixed.length > 0) return fixed.map((path) => ({ path, why: 'immutable' }));
      const owned = appliedFields(live, fieldManager);
      const differences = [...always, ...managed].flatMap((path): readonly Difference[] => {
        const wanted = partAt(prepared, path, schema);
        const before = ownedAt(owned, path);
        if (wanted.value === undefined && before !== undefined) return [{ path, why: 'dropped' }];
        return [
          ...compareFields(wanted.value, partAt(live, path, schema).value, wanted.schema, wanted.place),
          ...droppedFields(before, wanted.value, wanted.schema, wanted.place),
        ];
      });
      // Created by another manager, or by an interrupted reconcile: the last applied fields are not known, so it is
      // applied again.
      if (!owned) differences.push({ path: 'metadata.managedFields', why: 'missing' });
      return [...differences, ...ownerDifference(prepared, live)];
    },
    hash: (wanted) => canonicalHash(wanted, { paths: [...always, ...pathsOf(wanted).managed] }),
  };
}

/** Whether an object has all that is wanted at this path. What the server filled in besides does not count. */
export function hasFields(wanted: DynamicObject, live: DynamicObject, path: string): boolean {
  const schema = schemaOf(wanted);
  const part = partAt(wanted, path, schema);
  return compareFields(part.value, partAt(live, path, schema).value, part.schema, part.place).length === 0;
}

interface Part {
  readonly value: unknown;
  readonly schema: JsonSchema | undefined;
  readonly place: FieldPlace;
}

function schemaOf({ apiVersion, kind }: DynamicObject): JsonSchema | undefined {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  return findBuiltinKind(group, version, kind)?.schema;
}

function partAt(object: DynamicObject, path: string, schema: JsonSchema | undefined): Part {
  let part: Part = { value: object, schema, place: { path: '', pointer: '' } };
  for (const key of path.split('.'))
    part = {
      value: isRecord(part.value) && Object.hasOwn(part.value, key) ? part.value[key] : undefined,
      schema: propertySchema(part.schema, key),
      place: fieldIn(part.place, key),
    };
  return part;
}

function ownedAt(owned: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((fields, key) => (isRecord(fields) ? fields[`f:${key}`] : undefined), owned);
}

/** A selector is what it is; of other fixed fields, the server knows more than the set. */
function isSame(wanted: Part, live: Part): boolean {
  if (wanted.value === undefined) return true;
  if (wanted.place.path.endsWith('selector')) return equalJson(wanted.value, live.value);
  return compareFields(wanted.value, live.value, wanted.schema, wanted.place).length === 0;
}
