import type { GoType } from '@tektite/go';
import { type Struct, structOf } from './struct-table.ts';

/** As many as Kubernetes' decoder tells. */
const most = 100;

/**
 * The paths of the fields that a struct does not have, in the order of the document, as `spec.steps[0].foo`. Unlike Go's own
 * decoder this looks at the case of names. The value comes from a parser that limits its depth.
 */
export function unknownFields(key: string, value: unknown): readonly string[] {
  const found: string[] = [];
  walkStruct(structOf(key), value, '', found, true);
  return found;
}

function walkStruct(struct: Struct, value: unknown, path: string, found: string[], isRoot = false): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (found.length >= most) return;
    const at = path === '' ? name : `${path}.${name}`;
    if (isRoot && (name === 'apiVersion' || name === 'kind')) continue;
    const field = struct.byName.get(name);
    if (field) walk(field.type, item, at, found);
    else found.push(at);
  }
}

function walk(type: GoType, value: unknown, path: string, found: string[]): void {
  if (value === null || value === undefined) return;
  switch (type.kind) {
    case 'pointer':
      return walk(type.to, value, path, found);
    case 'list':
      if (Array.isArray(value))
        for (const [index, item] of value.entries()) walk(type.element, item, `${path}[${index}]`, found);
      return undefined;
    case 'map':
      if (typeof value === 'object' && !Array.isArray(value))
        for (const [key, item] of Object.entries(value)) walk(type.value, item, `${path}.${key}`, found);
      return undefined;
    case 'struct':
      return readsItself(type.definition) ? undefined : walkStruct(structOf(type.definition), value, path, found);
    case 'scalar':
      return undefined;
  }
}

function readsItself(definition: string): boolean {
  return definition.endsWith('.ParamValue') || definition.endsWith('.Duration') || definition.endsWith('.VolatileTime');
}
