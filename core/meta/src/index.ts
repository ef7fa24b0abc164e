/** Kubernetes objects, names and errors, without I/O. */
export * from './clock.ts';
export * from './field-error.ts';
export * from './field-path.ts';
export * from './group-version-kind.ts';
export * from './object.ts';
export * from './random.ts';
export * from './status-error.ts';
