/** A kind is defined once: static type, schema, CRD, defaulting, pruning, validation, CEL rules. */

// Schemas and what is done with them
export * from './compiled-schema.ts';
export * from './default.ts';
export * from './embedded-resource.ts';
export * from './prune.ts';
export * from './structural-schema.ts';

// YAML
export * from './yaml/index.ts';
