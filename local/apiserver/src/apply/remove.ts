import { setOwn } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { atomOf, untypedSchema } from './atom.ts';
import { type FieldSet, isEmptySet, isMember } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/**
 * The object without the members of the set; `undefined` when nothing is left of it. A field that is not a member
 * itself but loses its content stays as null, as upstream has it: the decoder decides what that means.
 */
export function removeFields(schema: JsonSchema, value: unknown, set: FieldSet): unknown {
  if (isEmptySet(set)) return value;
  const atom = atomOf(schema, value);
  if (atom.form === 'map') {
    const fields = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    let kept = false;
    for (const name in fields) {
      const child = set[fieldElement(name)];
      const rest = child ? without(atom.field(name) ?? untypedSchema, fields[name], child) : fields[name];
      if (rest === undefined) continue;
      kept = true;
      setOwn(result, name, rest);
    }
    return kept ? result : undefined;
  }
  if (atom.form === 'list') {
    const result: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const child = set[atom.elementOf(item)];
      const rest = child ? without(atom.items, item, child) : item;
      if (rest !== undefined) result.push(rest);
    }
    return result.length > 0 ? result : undefined;
  }
  return value;
}

function without(schema: JsonSchema, value: unknown, node: FieldSet): unknown {
  return isMember(node) ? undefined : (removeFields(schema, value, node) ?? null);
}
