/** A schema inside an OpenAPI document. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly [extension: `x-${string}`]: unknown;
}

/** A reference to a component. */
export function refTo(name: string): OpenApiSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The names of the components a value refers to, wherever in it. */
export function referencedNames(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') found.add(child.slice(child.lastIndexOf('/') + 1));
    else referencedNames(child, found);
  }
  return found;
}
