import { equalJson } from '@tektite/meta';
import type { ValidationRule } from '../structural-schema.ts';
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from './custom-resource-definition.ts';
import { itemSchemas, type RawSchema } from './raw-schema.ts';

/**
 * A definition as the API server holds it in memory, which shows in the paths of its messages: what all versions have
 * in common stands above them. A definition with one version has all of it there.
 */
export interface InternalSpec {
  readonly spec: CustomResourceDefinitionSpec;
  readonly shared: Pick<CustomResourceDefinitionVersion, SharedField>;
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

type SharedField = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';
const sharedFields: readonly SharedField[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  const shared = first
    ? sharedFields.filter((field) =>
        versions.every((version) => equalJson(version[field] ?? null, first[field] ?? null)),
      )
    : [];
  const common = Object.fromEntries(
    shared.filter((field) => first?.[field] !== undefined).map((field) => [field, first?.[field]]),
  );
  return {
    spec,
    shared: common,
    versions: versions.map(
      (version) =>
        Object.fromEntries(
          Object.entries(version).filter(([key]) => !shared.includes(key as SharedField)),
        ) as CustomResourceDefinitionVersion,
    ),
  };
}

/** A rule as messages print it. */
export function internalRule(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** Versions as messages print them. */
export function internalVersions(versions: readonly CustomResourceDefinitionVersion[]): unknown {
  return versions.map((version) => ({
    Name: version.name ?? '',
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema
      ? { OpenAPIV3Schema: internalSchema(version.schema.openAPIV3Schema as RawSchema | undefined) }
      : null,
    Subresources: version.subresources ? internalSubresources(version) : null,
    AdditionalPrinterColumns:
      version.additionalPrinterColumns?.map((column) => ({
        Name: column.name ?? '',
        Type: column.type ?? '',
        Format: column.format ?? '',
        Description: column.description ?? '',
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? '',
      })) ?? null,
    SelectableFields: version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? '' })) ?? null,
  }));
}

function internalSubresources({ subresources }: CustomResourceDefinitionVersion): unknown {
  const scale = subresources?.scale;
  return {
    Status: subresources?.status ?? null,
    Scale: scale
      ? {
          SpecReplicasPath: scale.specReplicasPath ?? '',
          StatusReplicasPath: scale.statusReplicasPath ?? '',
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  };
}

/** A schema as messages print it: every keyword, set or not. */
export function internalSchema(schema: RawSchema | undefined): unknown {
  if (!schema) return null;
  const list = (schemas: readonly RawSchema[] | undefined) => schemas?.map(internalSchema) ?? null;
  const map = (schemas: Readonly<Record<string, RawSchema>> | undefined) =>
    schemas
      ? Object.fromEntries(
          Object.keys(schemas)
            .sort()
            .map((key) => [key, internalSchema(schemas[key])]),
        )
      : null;
  const orBool = (value: RawSchema | boolean | undefined) =>
    value === undefined
      ? null
      : { Allows: value !== false, Schema: typeof value === 'object' ? internalSchema(value) : null };
  return {
    ID: schema.id ?? '',
    Schema: schema.$schema ?? '',
    Ref: schema.$ref ?? null,
    Description: schema.description ?? '',
    Type: schema.type ?? '',
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? '',
    Title: schema.title ?? '',
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? '',
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: schema.items
      ? {
          Schema: internalSchema(Array.isArray(schema.items) ? undefined : (schema.items as RawSchema)),
          JSONSchemas: Array.isArray(schema.items) ? itemSchemas(schema).map(internalSchema) : null,
        }
      : null,
    AllOf: list(schema.allOf),
    OneOf: list(schema.oneOf),
    AnyOf: list(schema.anyOf),
    Not: internalSchema(schema.not),
    Properties: map(schema.properties),
    AdditionalProperties: orBool(schema.additionalProperties),
    PatternProperties: map(schema.patternProperties),
    Dependencies: null,
    AdditionalItems: orBool(schema.additionalItems),
    Definitions: map(schema.definitions),
    ExternalDocs: schema.externalDocs
      ? { Description: schema.externalDocs.description ?? '', URL: schema.externalDocs.url ?? '' }
      : null,
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] ?? null,
    XEmbeddedResource: schema['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: schema['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: schema['x-kubernetes-list-map-keys'] ?? null,
    XListType: schema['x-kubernetes-list-type'] ?? null,
    XMapType: schema['x-kubernetes-map-type'] ?? null,
    XValidations: schema['x-kubernetes-validations']?.map(internalRule) ?? null,
  };
}
