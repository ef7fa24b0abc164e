/** How the elements of a list are identified in a merge, and whether they may repeat. */
export type ListType = 'atomic' | 'set' | 'map';

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  /** A CEL expression over `self` (and `oldSelf`) that must be true. */
  readonly rule: string;
  readonly message?: string;
  /** A CEL expression that makes the message; wins over `message` when it works. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** A JSON path below the rule's own place, to which the error points. */
  readonly fieldPath?: string;
  /** Whether a rule that compares with `oldSelf` also runs when there is none; then `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean;
}

/** Where to read more. */
export interface ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

/**
 * A schema of the API: `JSONSchemaProps` of `apiextensions.k8s.io/v1`. Custom and built-in kinds use the same type.
 *
 * The schema of a built-in kind may contain itself, so nothing may walk a schema without a value to follow or a memory
 * of where it has been.
 */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly externalDocs?: ExternalDocumentation;
  readonly example?: unknown;

  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];

  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;

  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;

  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;

  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly minProperties?: number;

  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;

  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: ListType | (string & {});
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /** Built-in kinds only: how strategic merge patch treats the field. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** The schema of a property, if the schema names it itself. */
export function propertySchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { properties } = schema;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values of a map; `true` allows any value and is the empty schema. */
export function additionalSchema(schema: JsonSchema): JsonSchema | undefined {
  const { additionalProperties } = schema;
  if (additionalProperties === true) return anything;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
