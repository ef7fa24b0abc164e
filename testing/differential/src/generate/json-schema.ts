/** The part of a schema of OpenAPI v3 that decides how values look. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

/** The definitions of a server, by name and by kind. */
export class Definitions {
  private readonly schemas: Readonly<Record<string, JsonSchema>>;
  private readonly byKind = new Map<string, JsonSchema>();

  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.schemas = schemas;
    for (const schema of Object.values(schemas))
      for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? [])
        this.byKind.set(group === '' ? `${version} ${kind}` : `${group}/${version} ${kind}`, schema);
  }

  ofKind(apiVersion: string, kind: string): JsonSchema {
    return this.byKind.get(`${apiVersion} ${kind}`) ?? { type: 'object' };
  }

  /** The schema without its reference. */
  resolve(schema: JsonSchema): JsonSchema {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    return reference === undefined ? schema : (this.schemas[reference.split('/').at(-1) as string] ?? {});
  }
}
