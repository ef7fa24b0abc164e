/** Steps of a dotted path: `spec.containers[0].env`, and `data["a.b"]` for keys with dots. */
export function fieldPath(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  const pattern = /\.?([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/gy;
  while (pattern.lastIndex < path.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(path);
    if (!match) throw new Error(`${JSON.stringify(path)} is no path of a field, at ${JSON.stringify(path.slice(at))}`);
    const [, name, index, double, single] = match;
    steps.push(index === undefined ? (name ?? double ?? single ?? '') : Number(index));
  }
  return steps;
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return fieldPath(path).reduce<unknown>((parent, step) => childOf(parent, step), value);
}

export function childOf(parent: unknown, step: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) return undefined;
  return (parent as Record<string | number, unknown>)[step];
}

/** A mapping inside an object, to be changed; undefined where there is none. */
export function mappingAt(value: unknown, ...steps: readonly string[]): Record<string, unknown> | undefined {
  const found = steps.reduce<unknown>((parent, step) => childOf(parent, step), value);
  return isMapping(found) ? found : undefined;
}

export function listAt(value: unknown, ...steps: readonly string[]): unknown[] {
  const found = steps.reduce<unknown>((parent, step) => childOf(parent, step), value);
  return Array.isArray(found) ? found : [];
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
