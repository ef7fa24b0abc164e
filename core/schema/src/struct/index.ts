/** Structs of Go programs, written once: TypeScript type, schema, decoder, printer. */
export { CrdSchemas, type DescribeField, schemaWithout } from './crd-schema.ts';
export { defineStructKind, type StructKind, type StructKindOptions } from './define-struct-kind.ts';
export { Field, type FieldOptions, type Fields, type Presence, type StructValue } from './field.ts';
export { go } from './go.ts';
export { knativeStatusFields, type StatusCondition } from './knative-status.ts';
export { Struct, type StructField, type StructVersion } from './struct.ts';
