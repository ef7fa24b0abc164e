/** The kinds that every Kubernetes API server has: TypeScript types, schemas, and how Go encodes them. */
export * from './builtin-kind.ts';
export * from './builtin-schema.ts';
export * from './definition.ts';
export * from './descriptions.ts';
export type * from './generated/types.ts';
export * from './go-package.ts';
