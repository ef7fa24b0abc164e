import type { JsonSchema } from '@tektite/schema';
import { atomOf, untypedSchema } from './atom.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/**
 * Every field that an object sets: what a manager that applies it owns. Leaves are members; so are elements of lists,
 * entries of maps and empty objects, but not structs with content.
 */
export function toFieldSet(schema: JsonSchema, value: unknown): FieldSet {
  const set = new FieldSetBuilder();
  visit(schema, value, [], set);
  return set.build();
}

function visit(schema: JsonSchema, value: unknown, path: string[], set: FieldSetBuilder): void {
  const atom = atomOf(schema, value);
  if (atom.form === 'map') {
    for (const [name, child] of Object.entries(value as Record<string, unknown>)) {
      path.push(fieldElement(name));
      visit(atom.field(name) ?? untypedSchema, child, path, set);
      if (isEmptyObject(child) || !atom.isStruct(name)) set.insert(path);
      path.pop();
    }
  } else if (atom.form === 'list') {
    // Elements have owners, the list itself has none: an empty one is not owned.
    for (const item of value as unknown[]) {
      path.push(atom.elementOf(item));
      visit(atom.items, item, path, set);
      set.insert(path);
      path.pop();
    }
  } else if (path.length > 0) set.insert(path);
}

function isEmptyObject(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value as object).length === 0;
}
