import { formatGoValue } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { atomOf, ListElementError, untypedSchema } from './atom.ts';
import { fieldElement, formatFieldPath } from './path-element.ts';

/**
 * Validates an applied configuration: fields that the schema does not know, values of a wrong type, elements of
 * list-maps without their keys or with the same ones. In the words of upstream's merge library.
 */
export function checkTyped(schema: JsonSchema, value: unknown): string[] {
  const errors: string[] = [];
  visit(schema, value, [], errors);
  return errors;
}

function visit(schema: JsonSchema, value: unknown, path: string[], errors: string[]): void {
  if (value === null || value === undefined) return;
  const mismatch = typeMismatch(schema, value);
  if (mismatch !== undefined) {
    report(errors, path, mismatch);
    return;
  }
  const atom = atomOf(schema, value);
  if (typeof value !== 'object') return;
  if (Array.isArray(value)) {
    const items = atom.form === 'list' ? atom.items : ((schema.items as JsonSchema | undefined) ?? untypedSchema);
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      let element = `i:${index}`;
      if (atom.form === 'list') {
        try {
          element = atom.elementOf(item);
        } catch (error) {
          if (!(error instanceof ListElementError)) throw error;
          report(errors, path, `element ${index}: ${error.message}`);
          return;
        }
        if (seen.has(element)) report(errors, path, `duplicate entries for key ${formatFieldPath([element])}`);
        seen.add(element);
      }
      path.push(element);
      visit(items, item, path, errors);
      path.pop();
    }
    return;
  }
  for (const [name, child] of Object.entries(value)) {
    const field = fieldSchema(schema, name);
    path.push(fieldElement(name));
    if (field) visit(field, child, path, errors);
    else report(errors, path, 'field not declared in schema');
    path.pop();
    // Upstream leaves the rest of an object unchecked after the first unknown field.
    if (!field) return;
  }
}

/** Atomic objects are leaves to the merge, but their fields are still checked. */
function fieldSchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === 'object') return additionalProperties;
  if (additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] || properties === undefined)
    return untypedSchema;
  return undefined;
}

function typeMismatch(schema: JsonSchema, value: unknown): string | undefined {
  if (schema['x-kubernetes-int-or-string'])
    return typeof value === 'object' ? `expected any scalar, got ${formatHeld(value)}` : undefined;
  if (schema['x-kubernetes-preserve-unknown-fields']) return undefined;
  switch (schema.type) {
    case 'string':
      // A text with a format, such as a time, may be any scalar here; bytes are texts.
      if (schema.format && schema.format !== 'byte')
        return typeof value === 'object' ? `expected any scalar, got ${formatHeld(value)}` : undefined;
      return typeof value === 'string' ? undefined : `expected string, got ${describe(value)}`;
    case 'integer':
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${formatHeld(value)}`;
    case 'array':
      return Array.isArray(value) ? undefined : `expected list, got ${formatHeld(value)}`;
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) ? undefined : `expected map, got ${formatHeld(value)}`;
    default:
      return undefined;
  }
}

/** A value as Go's `%v` prints the struct of the merge library that holds it. */
function formatHeld(value: unknown): string {
  return `&{${formatGoValue(value)}}`;
}

/** The same with `%#v`. */
function describe(value: unknown): string {
  return `&value.valueUnstructured{Value:${goSyntaxOf(value)}}`;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  return { string: 'string', boolean: 'bool', object: 'map[string]interface {}' }[typeof value as string] ?? 'int64';
}

/** Go's notation of a value that was read as JSON; keys of maps are sorted. */
function goSyntaxOf(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntaxOf).join(', ')}}`;
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${quoteGo(key)}:${goSyntaxOf(each)}`);
  return `map[string]interface {}{${fields.join(', ')}}`;
}

function report(errors: string[], path: readonly string[], message: string): void {
  const at = formatFieldPath(path);
  errors.push(at === '' ? message : `${at}: ${message}`);
}
