type Mapping = Record<string, unknown>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mapping at a path; nothing when something else is there. */
export function mappingAt(value: unknown, ...path: readonly string[]): Mapping | undefined {
  const found = path.reduce<unknown>(child, value);
  return isMapping(found) ? found : undefined;
}

/** The list at a path; an empty one when something else is there. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce<unknown>(child, value);
  return Array.isArray(found) ? found : [];
}

function child(parent: unknown, name: string): unknown {
  return isMapping(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
}
