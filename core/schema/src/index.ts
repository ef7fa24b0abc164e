/** A kind is defined once: static type, schema, CRD, defaulting, pruning, validation, CEL rules. */
export * from './structural-schema.ts';
