import {
  badRequestError,
  type FieldError,
  invalidObjectError,
  isStatusError,
  type KubeObject,
  type Status,
} from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { AdmissionOperation, AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import { type AdmissionContext, type AdmissionOptions, type AdmissionWebhook, contextOf } from './admission-webhook.ts';
import type { GoFieldNames } from './decode-error.ts';
import { type FieldErrors, formatFieldError } from '../field-errors/field-errors.ts';
import { KindRules, type RuleOptions, UndecodableError } from './kind-rules.ts';

/**
 * The result of a validation: {@link FieldErrors} are reported in Knative's format (400, BadRequest), a list of
 * `FieldError`s in Kubernetes' (422, Invalid, with causes). Nothing, or an empty list: the object is valid.
 */
export type ValidationResult = FieldErrors | readonly FieldError[] | undefined;

export type ValidateFunction<T extends KubeObject> = (
  object: T,
  context: AdmissionContext<T>,
) => ValidationResult | Promise<ValidationResult>;

/** How objects of one kind are checked. Made by {@link validating}. */
export interface ValidatingRule {
  readonly kind: Kind;
  readonly operations: readonly AdmissionOperation[];
  readonly subresources: readonly string[];
  readonly unchecked: readonly string[];
  readonly goNames?: GoFieldNames;
  readonly check: ValidateFunction<KubeObject>;
}

export interface ValidatingRuleOptions extends RuleOptions {
  /** Those of the subresources whose writes are fine, whatever they say. */
  readonly unchecked?: readonly string[];
}

/**
 * Checks for a kind.
 *
 * @example
 * validating(Memcached, ({ spec }, { old }) =>
 *   old && old.spec.size > spec.size ? invalidValue(spec.size, 'spec.size', 'must not shrink') : undefined);
 */
export function validating<T extends KubeObject>(
  kind: Kind<T>,
  check: ValidateFunction<T>,
  options: ValidatingRuleOptions = {},
): ValidatingRule {
  return {
    kind,
    operations: options.operations ?? ['CREATE', 'UPDATE'],
    subresources: options.subresources ?? [],
    unchecked: options.unchecked ?? [],
    ...(options.goNames ? { goNames: options.goNames } : {}),
    check: (object, context) => check(object as T, context as AdmissionContext<T>),
  };
}

export interface ValidatingWebhookOptions extends AdmissionOptions {
  readonly name: string;
  /** Default `/resource-validation/` and the name. */
  readonly path?: string;
  readonly rules: readonly ValidatingRule[];
  /** Whether objects with fields that their schema does not know are refused. */
  readonly strict?: boolean;
}

/**
 * A webhook that denies invalid objects. Errors of the level `warning` are sent to the user as warnings, a line each.
 *
 * @example validatingWebhook({ name: 'validation.webhook.cache.example.com', rules: [validating(Memcached,
 * checkMemcached)] })
 */
export function validatingWebhook(options: ValidatingWebhookOptions): AdmissionWebhook {
  const { name, path = `/resource-validation/${options.name}`, rules, strict = false, ...admission } = options;
  const byKind = new KindRules(rules, strict);
  return {
    type: 'validating',
    name,
    path,
    rules: rules.map(({ kind, operations, subresources }) => ({
      kind,
      operations,
      subresources: ['', ...subresources],
    })),
    options: admission,
    passes: ({ subresource }) => rules.every(({ unchecked }) => unchecked.includes(subresource)),
    review: (request, signal) => review(byKind, request, signal),
  };
}

async function review(
  rules: KindRules<ValidatingRule>,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  try {
    const { rule, object, old } = rules.decode(request);
    if (!rule.operations.includes(request.operation) || rule.unchecked.includes(request.subResource))
      return { allowed: true };
    const checked = request.operation === 'DELETE' ? old : object;
    if (!checked) return refuse(badRequestError('validation failed: the new object may not be nil').status);
    return answer(request, await rule.check(checked, contextOf(request, old, signal)));
  } catch (error) {
    if (error instanceof UndecodableError)
      return refuse(badRequestError(`decoding request failed: ${error.message}`).status);
    if (isStatusError(error)) return refuse(error.status);
    throw error;
  }
}

function answer({ kind, name, object }: AdmissionRequest, result: ValidationResult): AdmissionResponse {
  if (result === undefined) return { allowed: true };
  if (!('errors' in result)) {
    if (result.length === 0) return { allowed: true };
    const called = name || (object?.metadata.generateName ?? '');
    return refuse(invalidObjectError(kind.group, kind.kind, called, result).status);
  }
  const errors = result.filter('error');
  // A line break would make the API server drop the whole warning.
  const warnings = result
    .filter('warning')
    .merged()
    .flatMap((error) => formatFieldError(error).split('\n'));
  const attached = warnings.length > 0 ? { warnings } : {};
  if (errors.isEmpty) return { allowed: true, ...attached };
  return { ...refuse(badRequestError(`validation failed: ${errors.toString()}`).status), ...attached };
}

function refuse(status: Status): AdmissionResponse {
  return { allowed: false, status };
}
