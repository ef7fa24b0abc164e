import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  validateQualifiedName,
  notSupported,
  quoteGo,
  required,
  tooLong,
  tooMany,
} from '@tektite/meta';
import type { JobSpec, PodFailurePolicyRule, SuccessPolicyRule } from '@tektite/schema/kubernetes';
import { validatePodTemplateSpec } from '../core/pod/validate-pod.ts';
import { checkDomainPath, checkNonNegative, checkText, invalidUnshown } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { parseIndexes } from './index-intervals.ts';

type Spec = Partial<JobSpec>;

const manyIndexes = 100_000;
const manyWithBackoff = 10_000;

/** Validates the spec of a Job, also inside a CronJob. */
export function validateJobSpec(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const)
    checkNonNegative(spec[field], path.child(field), errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  if (spec.managedBy !== undefined) {
    checkDomainPath(spec.managedBy, path.child('managedBy'), errors);
    if (spec.managedBy.length > 63) errors.push(tooLong(path.child('managedBy'), 63));
  }
  validateCompletionMode(spec, path, errors);
  if (spec.podFailurePolicy) validateFailurePolicy(spec, path.child('podFailurePolicy', 'rules'), errors);
  if (spec.successPolicy) validateSuccessPolicy(spec, path.child('successPolicy'), errors);
  validateReplacementPolicy(spec, path.child('podReplacementPolicy'), errors);
  validatePodTemplateSpec(spec.template ?? {}, path.child('template'), errors);
  validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy'), errors);
}

function validateCompletionMode(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  const { completionMode: mode, completions, maxFailedIndexes } = spec;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed')
    errors.push(notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']));
  if (mode === 'Indexed') {
    if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
    checkMost(spec, 'parallelism', manyIndexes, ' when completion mode is Indexed', path, errors);
    if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
      errors.push(
        invalid(path.child('maxFailedIndexes'), maxFailedIndexes, 'must be less than or equal to completions'),
      );
    checkMost(spec, 'maxFailedIndexes', manyIndexes, '', path, errors);
    if ((completions ?? 0) > manyIndexes && spec.backoffLimitPerIndex !== undefined)
      validateManyIndexes(spec, path, errors);
  } else if (mode === undefined || mode === 'NonIndexed')
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[field] !== undefined)
        errors.push(invalid(path.child(field), spec[field], 'requires indexed completion mode'));
}

function checkMost(
  spec: Spec,
  field: 'parallelism' | 'maxFailedIndexes',
  max: number,
  circumstance: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const value = spec[field];
  if (value !== undefined && value > max)
    errors.push(invalid(path.child(field), value, `must be less than or equal to ${max}${circumstance}`));
}

function validateManyIndexes(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  const circumstance = ` when completions are above ${manyIndexes} and used with backoff limit per index`;
  if (spec.maxFailedIndexes === undefined)
    errors.push(required(path.child('maxFailedIndexes'), `must be specified when completions is above ${manyIndexes}`));
  checkMost(spec, 'parallelism', manyWithBackoff, circumstance, path, errors);
  checkMost(spec, 'maxFailedIndexes', manyWithBackoff, circumstance, path, errors);
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const quotedList = (values: readonly string[]): string => `valid values: [${values.map(quoteGo).join(' ')}]`;

function validateFailurePolicy(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > 20) errors.push(tooMany(path, rules.length, 20));
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name);
  for (const [i, rule] of rules.entries()) validateFailureRule(rule, spec, names, path.index(i), errors);
}

function validateFailureRule(
  rule: PodFailurePolicyRule,
  spec: Spec,
  containers: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const { action = '', onExitCodes, onPodConditions } = rule;
  const actionPath = path.child('action');
  if (action === '') errors.push(required(actionPath, quotedList(actions)));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined)
      errors.push(invalid(actionPath, action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!actions.includes(action)) errors.push(notSupported(actionPath, action, actions));
  if (onExitCodes) validateExitCodes(onExitCodes, containers, path.child('onExitCodes'), errors);
  const conditions = onPodConditions ?? [];
  if (conditions.length > 0) validateConditions(conditions, path.child('onPodConditions'), errors);
  if (onExitCodes && conditions.length > 0)
    errors.push(invalidUnshown(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && conditions.length === 0)
    errors.push(invalidUnshown(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
}

function validateConditions(
  conditions: NonNullable<PodFailurePolicyRule['onPodConditions']>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const statuses = ['False', 'True', 'Unknown'];
  if (conditions.length > 20) errors.push(tooMany(path, conditions.length, 20));
  for (const [i, { type = '', status = '' }] of conditions.entries()) {
    checkText(type, validateQualifiedName, path.index(i).child('type'), errors);
    const statusPath = path.index(i).child('status');
    if (status === '') errors.push(required(statusPath, quotedList(statuses)));
    else if (!statuses.includes(status)) errors.push(notSupported(statusPath, status, statuses));
  }
}

function validateExitCodes(
  { operator = '', containerName, values }: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  containers: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const operators = ['In', 'NotIn'];
  if (operator === '') errors.push(required(path.child('operator'), quotedList(operators)));
  else if (!operators.includes(operator)) errors.push(notSupported(path.child('operator'), operator, operators));
  if (containerName !== undefined && !containers.includes(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(path.child('containerName'), containerName, detail));
  }
  const codes = values ?? [];
  const valuesPath = path.child('values');
  if (codes.length === 0) errors.push(invalid(valuesPath, values ?? null, 'at least one value is required'));
  else if (codes.length > 255) errors.push(tooMany(valuesPath, codes.length, 255));
  const seen = new Set<number>();
  for (const [i, code] of codes.entries()) {
    if (operator === 'In' && code === 0)
      errors.push(invalid(valuesPath.index(i), code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(valuesPath.index(i), code));
    seen.add(code);
  }
  if (codes.some((code, i) => i > 0 && (codes[i - 1] as number) > code))
    errors.push(invalid(valuesPath, codes, 'must be ordered'));
}

function validateSuccessPolicy(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  if (spec.completionMode !== 'Indexed') {
    errors.push(invalid(path, goValue('SuccessPolicy', spec.successPolicy), 'requires indexed completion mode'));
    return;
  }
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  if (rules.length === 0)
    errors.push(required(rulesPath, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > 20) errors.push(tooMany(rulesPath, rules.length, 20));
  for (const [i, rule] of rules.entries()) validateSuccessRule(rule, spec.completions ?? 0, rulesPath.index(i), errors);
}

function validateSuccessRule(
  { succeededCount: count, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (count === undefined && succeededIndexes === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let total = 0;
  if (succeededIndexes !== undefined) {
    const indexesPath = path.child('succeededIndexes');
    if (succeededIndexes.length > 65_536) errors.push(tooLong(indexesPath, 65_536));
    const parsed = parseIndexes(succeededIndexes, completions);
    total = parsed.total;
    if (parsed.problem !== undefined)
      errors.push(invalid(indexesPath, succeededIndexes, `error parsing succeededIndexes: ${parsed.problem}`));
  }
  if (count === undefined) return;
  const countPath = path.child('succeededCount');
  checkNonNegative(count, countPath, errors);
  const atMost = 'must be less than or equal to';
  if (count > completions)
    errors.push(invalid(countPath, count, `${atMost} ${completions} (the number of specified completions)`));
  if (succeededIndexes !== undefined && count > total) {
    const detail = `${atMost} ${total} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(invalid(countPath, count, detail));
  }
}

function validateReplacementPolicy(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const supported = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (!supported.includes(policy)) errors.push(notSupported(path, policy, supported));
}

function validateRestartPolicy(spec: Spec, path: FieldPath, errors: FieldError[]): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never')
    errors.push(notSupported(path, policy, ['OnFailure', 'Never']));
  else if (spec.podFailurePolicy && policy !== 'Never')
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
}
