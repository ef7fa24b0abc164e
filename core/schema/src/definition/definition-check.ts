import {
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateDns1035Label,
  validateDns1123Subdomain,
  notSupported,
  required,
} from '@tektite/meta';
import type { MetadataRules } from '../embedded-resource.ts';
import { append } from './append.ts';
import { checkApproval } from './approval-check.ts';
import { checkConversion, hasKnownReview } from './conversion-check.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from './custom-resource-definition.ts';
import { type InternalSpec, internalSpec, internalVersions } from './internal-form.ts';
import { checkListMapKeys, hasNonAtomicSet } from './list-type-check.ts';
import { checkColumn, checkDeprecation, checkNames, checkSubresources } from './names-check.ts';
import { type RawSchema, schemaHas } from './raw-schema.ts';
import { checkOpenApiSchema, type OpenApiCheckOptions } from './openapi-check.ts';
import { checkSelectableFields } from './selectable-field-check.ts';
import { checkStructural } from './structural-check.ts';

interface CheckOptions extends OpenApiCheckOptions {
  readonly requireKnownReview: boolean;
  /** Versions whose schema has not changed. */
  readonly unchanged: ReadonlySet<string>;
  /** No schema has changed: they were valid when they were stored, and validating them is most of the work. */
  readonly skipSchemas?: boolean;
}

const strict: CheckOptions = {
  requireValidType: true,
  requireAtomicSets: true,
  requireListMapKeys: true,
  suppressRuleCost: false,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireKnownReview: true,
  unchanged: new Set(),
};

/**
 * Validates a new definition: all of its spec and status, and that its name fits. The caller validates the rest of its
 * metadata.
 */
export function validateCustomResourceDefinition(crd: CustomResourceDefinition, metadata: MetadataRules): FieldError[] {
  return [
    ...checkName(crd),
    ...checkSpec(crd, strict, metadata),
    ...checkStatus(crd),
    ...checkApproval(crd, undefined),
    ...checkPreserve(crd, undefined),
  ];
}

/** Validates a changed definition. Errors that the old one had already are ratcheted. */
export function validateCustomResourceDefinitionUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  metadata: MetadataRules,
): FieldError[] {
  const established = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  const immutable: [string[], unknown, unknown][] = [
    [['group'], crd.spec.group, old.spec.group],
    [['names', 'plural'], crd.spec.names?.plural, old.spec.names?.plural],
  ];
  if (established)
    immutable.unshift(
      [['scope'], crd.spec.scope, old.spec.scope],
      [['names', 'kind'], crd.spec.names?.kind, old.spec.names?.kind],
    );
  return [
    ...checkSpec(crd, lenient(crd, old), metadata),
    ...immutable
      .filter(([, now, before]) => now !== before)
      .map(([path, now]) => invalid(FieldPath.of('spec', ...path), now, 'field is immutable')),
    ...checkStatus(crd),
    ...checkApproval(crd, old),
    ...checkPreserve(crd, old),
  ];
}

/** Validates an update of `/status`. */
export function validateCustomResourceDefinitionStatus(crd: CustomResourceDefinition): FieldError[] {
  return checkNames(crd.status?.acceptedNames ?? {}, FieldPath.of('status', 'acceptedNames'));
}

const schemasOf = (crd: CustomResourceDefinition): RawSchema[] =>
  (crd.spec.versions ?? []).flatMap(({ schema }) =>
    schema?.openAPIV3Schema ? [schema.openAPIV3Schema as RawSchema] : [],
  );

function lenient(crd: CustomResourceDefinition, old: CustomResourceDefinition): CheckOptions {
  const schemas = schemasOf(old);
  const lacks = (predicate: (schema: RawSchema) => boolean) => !schemas.some((schema) => schemaHas(schema, predicate));
  const oldVersions = new Map((old.spec.versions ?? []).map((version) => [version.name, version.schema]));
  const unchanged = (crd.spec.versions ?? []).filter(
    ({ name, schema }) => oldVersions.has(name) && equalJson(schema ?? null, oldVersions.get(name) ?? null),
  );
  const names = new Set(unchanged.map(({ name }) => name));
  const requireKnownReview = hasKnownReview(old.spec.conversion);
  if (names.size === crd.spec.versions?.length && equalJson(statusesOf(crd), statusesOf(old)))
    return { ...strict, requireKnownReview, unchanged: names, skipSchemas: true };
  return {
    requireValidType: lacks(
      ({ type }) =>
        Boolean(type) && !['array', 'boolean', 'integer', 'number', 'object', 'string'].includes(type ?? ''),
    ),
    requireAtomicSets: lacks(hasNonAtomicSet),
    requireListMapKeys: lacks((schema) => checkListMapKeys(schema, FieldPath.root).length > 0),
    suppressRuleCost: false,
    requireStructural: schemas.every((schema) => checkStructural(schema, FieldPath.root).length === 0),
    requirePrunedDefaults: true,
    requireKnownReview,
    unchanged: names,
  };
}

/** Which versions have a status subresource: the rules of a schema depend on it. */
function statusesOf({ spec }: CustomResourceDefinition): readonly boolean[] {
  return (spec.versions ?? []).map(({ subresources }) => subresources?.status !== undefined);
}

function checkName(crd: CustomResourceDefinition): FieldError[] {
  const expected = `${crd.spec.names?.plural ?? ''}.${crd.spec.group ?? ''}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const name = crd.metadata[field] ?? '';
    if (name === '' || name === expected) return [];
    return [invalid(FieldPath.of('metadata', field), name, 'must be spec.names.plural+"."+spec.group')];
  });
}

function checkSpec(crd: CustomResourceDefinition, options: CheckOptions, metadata: MetadataRules): FieldError[] {
  const path = FieldPath.of('spec');
  const internal = internalSpec(crd.spec);
  return [
    ...checkGroupAndScope(crd, path),
    ...checkSchemaPresence(internal, path),
    ...checkDefaultsArePruned(crd, path),
    ...checkVersions(internal, path, options, metadata),
    ...checkSpecNames(crd, path.child('names')),
    ...checkVersion(internal, internal.shared, 'validation', hasAnyStatus(crd), path, options, metadata),
    ...checkConversion(crd.spec.conversion, path.child('conversion'), options.requireKnownReview),
  ];
}

function checkGroupAndScope({ spec }: CustomResourceDefinition, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const violations = validateDns1123Subdomain(spec.group ?? '');
  if (!spec.group) errors.push(required(path.child('group')));
  else if (violations.length > 0) errors.push(invalid(path.child('group'), spec.group, violations.join(',')));
  else if (!spec.group.includes('.'))
    errors.push(invalid(path.child('group'), spec.group, 'should be a domain with at least one dot'));
  const scopes = ['Cluster', 'Namespaced'];
  if (!spec.scope) errors.push(required(path.child('scope')));
  else if (!scopes.includes(spec.scope)) errors.push(notSupported(path.child('scope'), spec.scope, scopes));
  return errors;
}

function checkSchemaPresence({ shared, versions }: InternalSpec, path: FieldPath): FieldError[] {
  if (shared.schema?.openAPIV3Schema) return [];
  return versions.flatMap((version, index) =>
    version.schema?.openAPIV3Schema
      ? []
      : [required(path.child('versions').index(index).child('schema', 'openAPIV3Schema'))],
  );
}

/** Defaults need pruning, which this switches off. */
function checkDefaultsArePruned(crd: CustomResourceDefinition, path: FieldPath): FieldError[] {
  if (!crd.spec.preserveUnknownFields) return [];
  const hasDefault = schemasOf(crd).some((schema) => schemaHas(schema, (node) => node.default !== undefined));
  if (!hasDefault) return [];
  return [invalid(path.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema')];
}

function checkVersions(
  internal: InternalSpec,
  path: FieldPath,
  options: CheckOptions,
  metadata: MetadataRules,
): FieldError[] {
  const { versions, shared } = internal;
  const at = path.child('versions');
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const violations = validateDns1035Label(version.name ?? '');
    if (violations.length > 0)
      errors.push(invalid(at.index(index).child('name'), version.name ?? '', violations.join(',')));
    const hasStatus = (version.subresources ?? shared.subresources)?.status !== undefined;
    append(errors, checkDeprecation(version, at.index(index)));
    append(errors, checkVersion(internal, version, 'schema', hasStatus, at.index(index), options, metadata));
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid(at, internalVersions(versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(
      invalid(
        at,
        internal.spec.versions ? internalVersions(versions) : null,
        'must have exactly one version marked as storage version',
      ),
    );
  // In memory the first version stands above the others, too, and is checked there again.
  const first = versions[0]?.name ?? '';
  const violations = first === '' ? [] : validateDns1035Label(first);
  if (violations.length > 0) errors.push(invalid(path.child('version'), first, violations.join(',')));
  return errors;
}

const hasAnyStatus = ({ spec }: CustomResourceDefinition): boolean =>
  (spec.versions ?? []).some(({ subresources }) => subresources?.status !== undefined);

/** The setting of a version, or of all versions together. */
function checkVersion(
  { spec }: InternalSpec,
  part: Partial<CustomResourceDefinitionVersion>,
  schemaField: 'schema' | 'validation',
  hasStatus: boolean,
  path: FieldPath,
  options: CheckOptions,
  metadata: MetadataRules,
): FieldError[] {
  const errors: FieldError[] = [];
  const name = part.name ?? spec.versions?.[0]?.name ?? '';
  const relaxed = { ...options, suppressRuleCost: options.unchanged.has(name) };
  const schema = part.schema?.openAPIV3Schema as RawSchema | undefined;
  if (schema && !options.skipSchemas)
    append(errors, checkOpenApiSchema(schema, hasStatus, path.child(schemaField), relaxed, metadata));
  append(errors, checkSubresources(part.subresources, path.child('subresources')));
  part.additionalPrinterColumns?.forEach((column, index) => {
    append(errors, checkColumn(column, path.child('additionalPrinterColumns').index(index)));
  });
  const version = spec.versions?.find((each) => each.name === name);
  if (part.selectableFields?.length)
    append(
      errors,
      checkSelectableFields(part.selectableFields, version?.schema?.openAPIV3Schema, path.child('selectableFields')),
    );
  return errors;
}

function checkSpecNames({ spec }: CustomResourceDefinition, path: FieldPath): FieldError[] {
  const names = spec.names ?? {};
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter((field) => !names[field]);
  return [...missing.map((field) => required(path.child(field))), ...checkNames(names, path)];
}

function checkStatus({ spec, status }: CustomResourceDefinition): FieldError[] {
  const errors = checkNames(status?.acceptedNames ?? {}, FieldPath.of('status', 'acceptedNames'));
  const stored = status?.storedVersions ?? [];
  const path = FieldPath.of('status', 'storedVersions');
  if (stored.length === 0)
    return [...errors, invalid(path, status?.storedVersions ?? null, 'must have at least one stored version')];
  // A version that stands twice in the spec is found once.
  const unclaimed = new Set(stored);
  for (const { name, storage } of spec.versions ?? []) {
    const isStored = unclaimed.delete(name);
    if (storage && !isStored) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [index, name] of stored.entries())
    if (unclaimed.has(name))
      errors.push(
        invalid(
          path.index(index),
          name,
          `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ),
      );
  return errors;
}

function checkPreserve(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!crd.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, detail)];
}
