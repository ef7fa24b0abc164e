/** The kinds that every Kubernetes API server has: TypeScript types, schemas, and how Go encodes them. */
export {
  type BuiltinKind,
  builtinKinds,
  type BuiltinSubresource,
  findBuiltinDefinition,
  findBuiltinKind,
  findBuiltinResource,
} from './builtin-kind.ts';
export { builtinSchema, builtinKeyDefault } from './builtin-schema.ts';
export {
  type Definition,
  definitionKeys,
  definitionOf,
  type FieldDefinition,
  type FieldMerge,
  findDefinition,
} from './definition.ts';
export { type Descriptions, loadDescriptions } from './descriptions.ts';
export { enumOf } from './enums.ts';
export type * from './generated/types.ts';
export { definitionKey, openApiName } from './go-package.ts';
