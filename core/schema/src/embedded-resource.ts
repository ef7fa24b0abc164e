import { type FieldError, FieldPath, invalid, validateDns1035Label, parseApiVersion, required } from '@tektite/meta';
import { schemaSearch } from './schema-search.ts';
import { type JsonSchema, propertySchema } from './structural-schema.ts';

type JsonMap = Record<string, unknown>;

/** The rules of `metadata`, passed in so that embedded objects obey the same rules as whole ones. */
export interface MetadataRules {
  /** Metadata as it is stored: without unknown fields, whose names it lists; or the reason why it cannot be read. */
  decode(metadata: unknown): { readonly metadata: JsonMap; readonly unknown: readonly string[] } | string;
  /** Validates the metadata of a new object. */
  validate(metadata: JsonMap, path: FieldPath): FieldError[];
}

const hasEmbedded = schemaSearch((schema) => schema['x-kubernetes-embedded-resource'] === true);

export interface CoerceOptions {
  readonly rules: MetadataRules;
  /** Collects the paths of unknown fields, as in `unknown field "spec.template.metadata.foo"`. */
  readonly unknown?: string[];
}

/**
 * Coerces the metadata of embedded objects, in place. Returns the first error that makes the whole value unreadable: an
 * apiVersion, a kind or metadata of a wrong type.
 */
export function coerceEmbedded(
  value: unknown,
  schema: JsonSchema,
  options: CoerceOptions,
  path: FieldPath = FieldPath.root,
): FieldError | undefined {
  if (typeof value !== 'object' || value === null || !hasEmbedded(schema)) return undefined;
  if (!Array.isArray(value) && schema['x-kubernetes-embedded-resource']) {
    const error = coerceMeta(value as JsonMap, options, path);
    if (error) return error;
  }
  for (const [child, childSchema, childPath] of children(value, schema, path)) {
    const error = coerceEmbedded(child, childSchema, options, childPath);
    if (error) return error;
  }
  return undefined;
}

function coerceMeta(object: JsonMap, { rules, unknown }: CoerceOptions, path: FieldPath): FieldError | undefined {
  for (const key of ['apiVersion', 'kind'])
    if (Object.hasOwn(object, key) && typeof object[key] !== 'string')
      return invalid(path.child(key), object[key], 'must be a string');
  if (!Object.hasOwn(object, 'metadata')) return undefined;
  const at = path.child('metadata');
  const decoded = rules.decode(object['metadata']);
  if (typeof decoded === 'string') return invalid(at, object['metadata'], decoded);
  object['metadata'] = decoded.metadata;
  unknown?.push(...decoded.unknown.map((name) => `${at.toString()}.${name}`));
  return undefined;
}

/** Validates embedded objects: they need an apiVersion and a kind, and valid metadata. */
export function validateEmbedded(
  value: unknown,
  schema: JsonSchema,
  rules: MetadataRules,
  path: FieldPath = FieldPath.root,
): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (each: unknown, eachSchema: JsonSchema, at: FieldPath): void => {
    if (typeof each !== 'object' || each === null || !hasEmbedded(eachSchema)) return;
    if (!Array.isArray(each) && eachSchema['x-kubernetes-embedded-resource'])
      for (const error of resourceErrors(each as JsonMap, rules, at)) errors.push(error);
    for (const [child, childSchema, childPath] of children(each, eachSchema, at)) visit(child, childSchema, childPath);
  };
  visit(value, schema, path);
  return errors;
}

function resourceErrors(object: JsonMap, rules: MetadataRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!Object.hasOwn(object, 'apiVersion')) errors.push(required(path.child('apiVersion')));
  if (!Object.hasOwn(object, 'kind')) errors.push(required(path.child('kind')));
  if (Object.hasOwn(object, 'apiVersion'))
    errors.push(...apiVersionErrors(object['apiVersion'], path.child('apiVersion')));
  if (Object.hasOwn(object, 'kind')) errors.push(...kindErrors(object['kind'], path.child('kind')));
  if (Object.hasOwn(object, 'metadata')) {
    const decoded = rules.decode(object['metadata']);
    const at = path.child('metadata');
    if (typeof decoded === 'string') errors.push(invalid(at, object['metadata'], decoded));
    else errors.push(...rules.validate(decoded.metadata, at));
  }
  return errors;
}

function apiVersionErrors(apiVersion: unknown, path: FieldPath): FieldError[] {
  if (typeof apiVersion !== 'string') return [invalid(path, apiVersion, 'must be a string')];
  if (apiVersion === '') return [invalid(path, apiVersion, 'must not be empty')];
  if (parseApiVersion(apiVersion)) return [];
  return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindErrors(kind: unknown, path: FieldPath): FieldError[] {
  if (typeof kind !== 'string') return [invalid(path, kind, 'must be a string')];
  if (kind === '') return [invalid(path, kind, 'must not be empty')];
  const violations = validateDns1035Label(kind.toLowerCase());
  if (violations.length === 0) return [];
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${violations.join(',')}`)];
}

/** The values directly below a value, with the schemas that specify them. */
function* children(value: object, schema: JsonSchema, path: FieldPath): Iterable<[unknown, JsonSchema, FieldPath]> {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [index, item] of value.entries()) yield [item, items, path.index(index)];
    return;
  }
  const { additionalProperties } = schema;
  for (const [key, field] of Object.entries(value)) {
    const property = propertySchema(schema, key);
    if (property) yield [field, property, path.child(key)];
    else if (typeof additionalProperties === 'object') yield [field, additionalProperties, path.key(key)];
  }
}
