import {
  equalJson,
  type FieldError,
  type FieldPath,
  forbidden,
  formatFieldError,
  invalid,
  required,
} from '@tektite/meta';
import { compilePattern } from '../validate/pattern.ts';
import { append } from './append.ts';
import { itemSchema, type RawSchema, valueSchema } from './raw-schema.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Validates that a schema is structural: every value must have a type, and schemas under `allOf`, `anyOf`, `oneOf` and
 * `not` may restrict values but not describe them.
 */
export function checkStructural(schema: RawSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, 'root', path, errors);
  append(errors, checkCompleteness(schema, schema, path, path));
  return errors.sort((a, b) => (formatFieldError(a) < formatFieldError(b) ? -1 : 1));
}

function checkNode(schema: RawSchema, level: Level, path: FieldPath, errors: FieldError[]): void {
  const items = itemSchema(schema);
  const values = valueSchema(schema);
  const { properties, anyOf, allOf } = schema;
  if (schema.type === 'array' && !items) errors.push(required(path.child('items'), 'must be specified'));
  if (items) checkNode(items, 'item', path.child('items'), errors);
  if (properties) {
    const at = path.child('properties');
    for (const name of Object.keys(properties)) checkNode(properties[name] as RawSchema, 'field', at.key(name), errors);
  }
  if (schema.additionalProperties !== undefined && level === 'root')
    errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  if (values) checkNode(values, 'field', path.child('additionalProperties'), errors);
  if (schema['x-kubernetes-int-or-string']) append(errors, checkExtensions(schema, path));
  if (anyOf || allOf || schema.oneOf || schema.not || schema.pattern)
    append(errors, checkValidations(schema, isIntOrString(anyOf), isIntOrString(allOf?.[0]?.anyOf), path));
  checkType(schema, level, path, errors);
  if (level === 'root' || schema['x-kubernetes-embedded-resource'] === true)
    append(errors, checkMetadata(schema, level, path));
}

function checkExtensions(schema: RawSchema, path: FieldPath): FieldError[] {
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name])
    .map((name) => invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(schema: RawSchema, level: Level, path: FieldPath, errors: FieldError[]): void {
  const type = schema.type ?? '';
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (level !== 'root' && !embedded && type !== '') return;
  const at = path.child('type');
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields'])
    errors.push(required(at, missingType[level]));
  if (embedded && schema.additionalProperties !== undefined)
    errors.push(
      forbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(at, type, 'must be object at the root'));
}

/** Metadata is what it is; a schema may only restrict names. */
function checkMetadata(schema: RawSchema, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const properties = schema.properties ?? {};
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const isResource = level === 'root' || embedded;
  for (const name of ['kind', 'apiVersion']) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isResource && property && property.type !== 'string')
      errors.push(invalid(path.child('properties').key(name).child('type'), property.type ?? '', 'must be string'));
  }
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined;
  const at = path.child('properties').key('metadata');
  if (metadata && isResource && metadata.type !== 'object')
    errors.push(invalid(at.child('type'), metadata.type ?? '', 'must be object'));
  if (metadata && level === 'root' && !restrictsNamesOnly(metadata))
    errors.push(
      forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'),
    );
  if (embedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0)
    errors.push(
      required(
        path.child('properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  return errors;
}

function restrictsNamesOnly(metadata: RawSchema): boolean {
  return Object.entries(metadata).every(([keyword, value]) => {
    if (keyword === 'type' || keyword === 'default') return true;
    if (keyword === 'properties')
      return Object.keys(value as object).every((name) => name === 'name' || name === 'generateName');
    return !isSet(value);
  });
}

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** `anyOf: [{type: integer}, {type: string}]` is allowed where the two types are meant. */
function isIntOrString(alternatives: readonly RawSchema[] | undefined): boolean {
  return equalJson(alternatives, intOrString);
}

function checkValidations(
  schema: RawSchema,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf)
    for (const [index, each] of (schema.anyOf ?? []).entries())
      append(errors, checkNested(each, false, path.child('anyOf').index(index)));
  for (const [index, each] of (schema.allOf ?? []).entries())
    append(errors, checkNested(each, skipFirstAllOf && index === 0, path.child('allOf').index(index)));
  for (const [index, each] of (schema.oneOf ?? []).entries())
    append(errors, checkNested(each, false, path.child('oneOf').index(index)));
  if (schema.not) append(errors, checkNested(schema.not, false, path.child('not')));
  if (schema.pattern) {
    const compiled = compilePattern(schema.pattern);
    if (typeof compiled === 'string') {
      const detail = `must be a valid regular expression, but isn't: ${compiled}`;
      errors.push(invalid(path.child('pattern'), schema.pattern, detail));
    }
  }
  return errors;
}

/** Keywords that describe values, with the words that refuse them in a nested schema. */
const descriptions: readonly (readonly [keyof RawSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function isSet(value: unknown): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

function checkNested(schema: RawSchema, skipAnyOf: boolean, path: FieldPath): FieldError[] {
  const errors = checkValidations(schema, skipAnyOf, false, path);
  const items = itemSchema(schema);
  if (items) append(errors, checkNested(items, false, path.child('items')));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    append(errors, checkNested(property, false, path.child('properties').key(name)));
  for (const [keyword, detail] of descriptions)
    if (isSet(schema[keyword])) errors.push(forbidden(path.child(keyword), detail));
  if (schema.properties && Object.hasOwn(schema.properties, 'metadata'))
    errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
  return errors;
}

/** Whatever a nested schema speaks of must be described outside of it too. */
function checkCompleteness(nested: RawSchema, schema: RawSchema, at: FieldPath, from: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const follow = (each: RawSchema, path: FieldPath) => append(errors, checkNestedCompleteness(each, schema, at, path));
  if (nested.not) follow(nested.not, from.child('not'));
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [index, each] of (nested[keyword] ?? []).entries()) follow(each, from.child(keyword).index(index));
  return errors;
}

function checkNestedCompleteness(
  nested: RawSchema,
  schema: RawSchema | undefined,
  at: FieldPath,
  from: FieldPath,
): FieldError[] {
  if (!schema) return [required(at, `because it is defined in ${from.toString()}`)];
  const errors = checkCompleteness(nested, schema, at, from);
  const items = itemSchema(nested);
  if (items) append(errors, checkNestedCompleteness(items, itemSchema(schema), at.child('items'), from.child('items')));
  for (const [name, property] of Object.entries(nested.properties ?? {})) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    append(
      errors,
      checkNestedCompleteness(property, known, at.child('properties').key(name), from.child('properties').key(name)),
    );
  }
  return errors;
}
