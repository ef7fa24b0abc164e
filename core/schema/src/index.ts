/** A kind is defined once: static type, schema, CRD, defaulting, pruning, validation, CEL rules. */

// Schemas and what is done with them
export { canonicalJson } from './canonical-json.ts';
export * from './compiled-schema.ts';
export * from './custom-resource.ts';
export * from './default.ts';
export * from './embedded-resource.ts';
export { isKnownFormat } from './format/string-format.ts';
export * from './prune.ts';
export * from './structural-schema.ts';
export { compilePattern } from './validate/pattern.ts';

// Definitions of custom resources
export { checkWebhookService, checkWebhookUrl } from './definition/conversion-check.ts';
export type * from './definition/custom-resource-definition.ts';
export * from './definition/definition-check.ts';
export * from './definition/unrecognized-format.ts';

// Expressions
export * from './cel/index.ts';

// Kinds
export * from './kind/kind.ts';
export { printAsGo } from './kind/print-as-go.ts';
export * from './kind/print-definition.ts';
export * from './kind/schema-builder.ts';
