/** Kubernetes objects, names and errors, without I/O. */

// Objects and what they are called
export {
  compareVersions,
  formatApiVersion,
  formatGroupKind,
  formatGroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
} from './group-version-kind.ts';
export {
  cloneJson,
  deepFreeze,
  type DynamicObject,
  equalJson,
  frozenCopy,
  type Json,
  type JsonObject,
  type KubeList,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type Mutable,
  type ObjectMeta,
  type OwnerReference,
  setOwn,
} from './object.ts';
export {
  controllerOf,
  controllerReference,
  hasOwner,
  isControlledBy,
  type Owner,
  ownerReference,
} from './owner-reference.ts';
export {
  type Condition,
  type ConditionStatus,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './condition.ts';
export {
  type Explanation,
  type KnativeCondition,
  knativeConditionSet,
  type KnativeConditionSet,
} from './knative-condition.ts';

// Names
export { childName, restrictLength } from './child-name.ts';
export { generateName, randomSuffix } from './generate-name.ts';
export {
  inclusiveRangeError,
  maxLengthError,
  regexError,
  utf8Length,
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateDns1123SubdomainWithUnderscore,
  validateEnvVarName,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  validateUserId,
  validateWildcardDns1123Subdomain,
} from './names.ts';
export {
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  type NameRule,
} from './object-name.ts';

// Selectors
export {
  escapeFieldValue,
  type FieldRequirement,
  type FieldSelector,
  fieldSelectorOf,
  parseFieldSelector,
} from './field-selector.ts';
export {
  isSelectorError,
  type LabelOperator,
  type LabelRequirement,
  SelectorError,
  selectorErrors,
} from './label-requirement.ts';
export {
  formatLabelSelector,
  type LabelSelector,
  type LabelSelectorExpression,
  labelSelectorOf,
  parseLabelSelector,
  selectEverything,
  selectNothing,
  type Selector,
  selectorFromLabels,
  selectorOf,
  validateLabels,
  validateLabelSelector,
} from './label-selector.ts';

// Texts
export { normalizeInteger, parseInteger, parseJson, stringifyJson } from './json-text.ts';

// Numbers and times
export { humanDuration, shortHumanDuration } from './human-duration.ts';
export { canonicalQuantity, Quantity } from './quantity.ts';
export {
  isQuantityError,
  parseQuantityParts,
  QuantityError,
  quantityErrors,
  type QuantityFormat,
} from './quantity-parser.ts';
export {
  formatMicroTime,
  formatTime,
  type Instant,
  instantToMilliseconds,
  normalizeMicroTime,
  normalizeTime,
  parseMicroTime,
  parseTime,
  isTimeError,
  TimeError,
  timeErrors,
} from './time.ts';

// Errors
export {
  type CodedError,
  defineErrors,
  type ErrorCode,
  type ErrorDescription,
  type ErrorRegistry,
} from './define-errors.ts';
export {
  duplicate,
  escapeHtml,
  type FieldError,
  type FieldErrorReason,
  forbidden,
  formatBadValue,
  formatFieldError,
  formatFieldErrors,
  formatGoNumber,
  internalError,
  invalid,
  notFound,
  notSupported,
  quoteGo,
  required,
  tooLong,
  tooMany,
  tooShort,
  typeInvalid,
} from './field-error.ts';
export { FieldPath } from './field-path.ts';
export {
  alreadyExistsError,
  badRequestError,
  conflictError,
  type ErrorTarget,
  expiredError,
  forbiddenError,
  insufficientStorageError,
  internalServerError,
  invalidObjectError,
  isStatusError,
  methodNotSupportedError,
  notFoundError,
  requestEntityTooLargeError,
  serviceUnavailableError,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  timeoutError,
  tooManyRequestsError,
  unauthorizedError,
  unknownPathError,
} from './status-error.ts';
export { isTerminalError, isTransient, isTransientStatus, TerminalError, terminalErrors } from './terminal-error.ts';

// Injected environment: clock and randomness
export { type Clock, sleep, systemClock } from './clock.ts';
export { type Random, randomUid, seededRandom, systemRandom } from './random.ts';
