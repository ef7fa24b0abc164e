/** Expressions of Kubernetes: compile them in an environment, run them with a budget. */
export type { SizeAt } from './call-estimate.ts';
export { estimateCost } from './cost-estimate.ts';
export { type CelEnvironment, type Compilation, celEnvironment, type EnvironmentOptions } from './environment.ts';
export { jsonValue, schemaValue } from './json-value.ts';
export { declare, type FunctionDeclaration, method, type Overload, overload } from './language/declarations.ts';
export { equalValues } from './language/equality.ts';
export { CostExceededError, EvaluationError } from './language/evaluation.ts';
export type { Outcome, Program } from './language/program.ts';
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
} from './language/type.ts';
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
} from './language/value.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  type Authorize,
  authorizerType,
  authorizerValue,
  requestResourceType,
  requestResourceValue,
} from './library/authorizer.ts';
export { perCallLimit } from './rule-message.ts';
export { compileRuleValidator, costBudget, type RuleOptions, type RuleValidator } from './rule-validator.ts';
export { declareSchema, type SchemaDeclaration } from './schema-declaration.ts';
