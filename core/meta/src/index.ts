/** Kubernetes objects, names and errors, without I/O. */

// Objects and what they are called
export * from './group-version-kind.ts';
export * from './object.ts';
export * from './owner-reference.ts';
export * from './condition.ts';
export * from './knative-condition.ts';

// Names
export * from './child-name.ts';
export * from './generate-name.ts';
export * from './names.ts';
export * from './object-name.ts';

// Selectors
export * from './field-selector.ts';
export { type LabelOperator, type LabelRequirement, SelectorError } from './label-requirement.ts';
export * from './label-selector.ts';

// Numbers and times
export * from './human-duration.ts';
export * from './quantity.ts';
export { QuantityError, type QuantityFormat } from './quantity-parser.ts';
export * from './time.ts';

// Errors
export * from './field-error.ts';
export * from './field-path.ts';
export * from './status-error.ts';

// Injected environment: clock and randomness
export * from './clock.ts';
export * from './random.ts';
