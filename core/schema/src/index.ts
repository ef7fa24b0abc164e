/** A kind is defined once: static type, schema, CRD, defaulting, pruning, validation, CEL rules. */

// Schemas and what is done with them
export { canonicalJson } from './canonical-json.ts';
export { type CompiledSchema, compileSchema } from './compiled-schema.ts';
export { resourceValidator, type ResourceValidator } from './custom-resource.ts';
export { applyDefaults, pruneNulls } from './default.ts';
export { coerceEmbedded, type CoerceOptions, type MetadataRules, validateEmbedded } from './embedded-resource.ts';
export { type GoUrlReference, parseQuery, parseUrlReference } from './format/go-url.ts';
export { isKnownFormat } from './format/string-format.ts';
export { prune, type PruneOptions } from './prune.ts';
export {
  additionalSchema,
  type ExternalDocumentation,
  type JsonSchema,
  type ListType,
  propertySchema,
  type ValidationRule,
} from './structural-schema.ts';
export { compilePattern } from './validate/pattern.ts';

// Definitions of custom resources
export { checkWebhookService, checkWebhookUrl } from './definition/conversion-check.ts';
export type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  PrinterColumn,
  ScaleSubresource,
  SelectableField,
  WebhookConversion,
} from './definition/custom-resource-definition.ts';
export {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from './definition/definition-check.ts';
export { unrecognizedFormats } from './definition/unrecognized-format.ts';

// Expressions: compile them in an environment, run them with a budget
export type { SizeAt } from './cel/call-estimate.ts';
export { estimateCost } from './cel/cost-estimate.ts';
export { type CelEnvironment, type Compilation, celEnvironment, type EnvironmentOptions } from './cel/environment.ts';
export { jsonValue, schemaValue } from './cel/json-value.ts';
export { declare, type FunctionDeclaration, method, type Overload, overload } from './cel/language/declarations.ts';
export { equalValues } from './cel/language/equality.ts';
export { CostExceededError, EvaluationError, evaluationErrors, isEvaluationError } from './cel/language/evaluation.ts';
export type { Outcome, Program } from './cel/language/program.ts';
export {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  namedType,
  nullType,
  optionalType,
  stringType,
  structType,
  timestampType,
  uintType,
} from './cel/language/type.ts';
export {
  ArrayList,
  Duration,
  EntryMap,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './cel/language/value.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  type Authorize,
  authorizerType,
  authorizerValue,
  requestResourceType,
  requestResourceValue,
} from './cel/library/authorizer.ts';
export { formatDuration, formatTimestamp } from './cel/library/time.ts';
export { perCallLimit } from './cel/rule-message.ts';
export { compileRuleValidator, costBudget, type RuleOptions, type RuleValidator } from './cel/rule-validator.ts';
export { declareSchema, type SchemaDeclaration } from './cel/schema-declaration.ts';

// Kinds
export {
  apiVersionOf,
  defineKind,
  dynamicKind,
  type Kind,
  type KindObject,
  type KindOptions,
  type ObjectOf,
} from './kind/kind.ts';
export { printAsGo } from './kind/print-as-go.ts';
export { customResourceDefinition, type DefinitionOptions } from './kind/print-definition.ts';
export {
  type EmbeddedObject,
  type GoForm,
  type InferShape,
  type InferType,
  type IntegerOptions,
  type ListOptions,
  type MapOptions,
  type NumberOptions,
  type ObjectOptions,
  s,
  type Schema,
  type StringOptions,
} from './kind/schema-builder.ts';
