import type { KubeObject } from '@tektite/meta';
import type { CustomResourceSubresources } from '../definition/custom-resource-definition.ts';
import { defineKind, type Kind, type KindOptions } from '../kind/kind.ts';
import { s } from '../kind/schema-builder.ts';
import type { JsonSchema } from '../structural-schema.ts';
import type { CrdSchemas } from './crd-schema.ts';
import type { Struct } from './struct.ts';

export interface StructKindOptions<T> extends Omit<KindOptions<Record<string, never>>, 'kind' | 'fields'> {
  /** The struct of whole objects. Its name is that of the kind. */
  readonly struct: Struct<T>;
  readonly schemas: CrdSchemas;
  /** The descriptions of the fields directly below the kind. */
  readonly descriptions: Readonly<Record<string, string>>;
  /** Changes the schema of a field directly below the kind, where upstream's definition differs from its structs. */
  readonly adaptSchema?: (name: string, schema: JsonSchema) => JsonSchema;
  readonly subresources?: CustomResourceSubresources;
}

/** A kind and the struct that its objects are decoded into. */
export interface StructKind<T extends KubeObject = KubeObject> extends Kind<T> {
  readonly struct: NonNullable<Kind['struct']>;
}

/**
 * Defines one version of a kind from the struct of its objects.
 *
 * @example
 * const TaskRun = defineStructKind({ group: 'tekton.dev', version: 'v1', struct: TaskRunStruct, schemas, descriptions });
 */
export function defineStructKind<T>(options: StructKindOptions<T>): StructKind<KubeObject & T> {
  const { struct, schemas, descriptions, adaptSchema = (_, schema) => schema, subresources, ...names } = options;
  const definition = struct.definitionIn(names.version);
  const whole = schemas.of(definition);
  const fields = definition.fields
    .filter(({ name }) => name !== 'metadata')
    .map(({ name, required }) => {
      const description = descriptions[name];
      const schema = {
        ...adaptSchema(name, whole.properties?.[name] ?? {}),
        ...(description === undefined ? {} : { description }),
      };
      const field = s.raw<unknown>(schema);
      return [name, required ? field : field.optional()] as const;
    });
  const kind = defineKind({ ...names, kind: struct.name, fields: Object.fromEntries(fields) });
  return { ...kind, ...(subresources ? { subresources } : {}), struct: definition } as StructKind<KubeObject & T>;
}
