import type { JsonSchema } from './structural-schema.ts';

type JsonMap = Record<string, unknown>;

export interface PruneOptions {
  /** Whether the value is a whole object: then apiVersion, kind and metadata are not for the schema to judge. */
  readonly isResourceRoot?: boolean;
  /** Collects the path of every field that was removed, as in `unknown field "spec.foo"`. */
  readonly removed?: string[];
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes, in place, every field the schema does not specify. Embedded resources keep their metadata, and everything
 * below `x-kubernetes-preserve-unknown-fields` stays, except where the schema specifies fields again.
 */
export function prune(value: unknown, schema: JsonSchema | undefined, options: PruneOptions = {}): void {
  const pruner = new Pruner(options.removed);
  const root = options.isResourceRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  pruner.prune(value, root, '');
  options.removed?.sort();
}

class Pruner {
  private readonly removed: string[] | undefined;

  constructor(removed: string[] | undefined) {
    this.removed = removed;
  }

  prune(value: unknown, schema: JsonSchema | undefined, path: string): void {
    if (typeof value !== 'object' || value === null) return;
    if (schema?.['x-kubernetes-preserve-unknown-fields']) this.keep(value, schema, path);
    else if (Array.isArray(value)) this.each(value, schema?.items, path);
    else this.fields(value as JsonMap, schema, path);
  }

  private fields(value: JsonMap, schema: JsonSchema | undefined, path: string): void {
    const { properties, additionalProperties } = schema ?? {};
    const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
    for (const key of Object.keys(value)) {
      if (isResource && metaFields.has(key)) continue;
      if (properties && Object.hasOwn(properties, key)) this.prune(value[key], properties[key], join(path, key));
      else if (additionalProperties !== undefined)
        this.prune(value[key], valueSchema(additionalProperties), join(path, key));
      else {
        if (this.removed && (path !== '' || !metaFields.has(key) || !schema)) this.removed.push(join(path, key));
        delete value[key];
      }
    }
  }

  /** Keeps the value here, and prunes below it where the schema has properties. */
  private keep(value: object, schema: JsonSchema, path: string): void {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!items) return;
      for (const [index, item] of value.entries())
        if (typeof item === 'object' && item !== null) this.keep(item as object, items, `${path}[${index}]`);
      return;
    }
    const { properties, additionalProperties } = schema;
    if (!properties && additionalProperties === undefined) return;
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    for (const [key, field] of Object.entries(value)) {
      if (isResource && metaFields.has(key)) continue;
      if (properties && Object.hasOwn(properties, key)) this.prune(field, properties[key], join(path, key));
      else if (additionalProperties !== undefined)
        this.prune(field, valueSchema(additionalProperties), join(path, key));
    }
  }

  private each(list: readonly unknown[], items: JsonSchema | undefined, path: string): void {
    for (const [index, item] of list.entries()) this.prune(item, items, `${path}[${index}]`);
  }
}

/** Under `additionalProperties: true` nothing is specified, so all fields of the values go: upstream's reading of it. */
function valueSchema(additionalProperties: JsonSchema | boolean): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
