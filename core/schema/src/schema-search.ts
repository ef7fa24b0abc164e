import type { JsonSchema } from './structural-schema.ts';

/** The schemas directly below a schema that values pass through. */
export function childSchemas(schema: JsonSchema): JsonSchema[] {
  const { properties, items, additionalProperties } = schema;
  const children = Object.values(properties ?? {});
  if (items) children.push(items);
  if (typeof additionalProperties === 'object') children.push(additionalProperties);
  return children;
}

/**
 * Returns whether a schema or any schema below it has a property. The answers are cached, so code that visits values
 * asks at every step and returns early where there is nothing to find. Schemas may contain themselves.
 */
export function schemaSearch(found: (schema: JsonSchema) => boolean): (schema: JsonSchema) => boolean {
  const answers = new WeakMap<JsonSchema, boolean>();

  function search(schema: JsonSchema, visited: Set<JsonSchema>): boolean {
    const known = answers.get(schema);
    if (known !== undefined) return known;
    if (visited.has(schema)) return false;
    visited.add(schema);
    return found(schema) || childSchemas(schema).some((child) => search(child, visited));
  }

  return (schema) => {
    const known = answers.get(schema);
    if (known !== undefined) return known;
    const visited = new Set<JsonSchema>();
    const answer = search(schema, visited);
    // A "no" holds for all that was visited; a "yes" only for the start, since a cycle may have hidden it from others.
    if (answer) answers.set(schema, true);
    else for (const each of visited) answers.set(each, false);
    return answer;
  };
}
