import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateLabelValue,
  validateQualifiedName,
  nameIsDnsLabel,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type {
  Affinity,
  LabelSelector,
  PodAffinity,
  PodAffinityTerm,
  PodSchedulingGate,
  PodSchedulingGroup,
  Toleration,
  TopologySpreadConstraint,
} from '@tektite/schema/kubernetes';
import { checkDnsSubdomain, checkPositive, checkSupported, checkText } from '../../field-checks.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../node-selector.ts';
import { validateTaintEffect } from '../taint.ts';

export function validateAffinity(affinity: Affinity | undefined, path: FieldPath, errors: FieldError[]): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const needed = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  if (nodeAffinity) {
    const nodePath = path.child('nodeAffinity');
    if (nodeAffinity[needed]) validateNodeSelector(nodeAffinity[needed], true, nodePath.child(needed), errors);
    for (const [i, { weight = 0, preference }] of (nodeAffinity[preferred] ?? []).entries()) {
      const termPath = nodePath.child(preferred).index(i);
      checkWeight(weight, termPath.child('weight'), errors);
      validateNodeSelectorTerm(preference ?? {}, false, termPath.child('preference'), errors);
    }
  }
  if (podAffinity) validatePodAffinity(podAffinity, path.child('podAffinity'), errors);
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, path.child('podAntiAffinity'), errors);
}

function checkWeight(weight: number, path: FieldPath, errors: FieldError[]): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path, weight, 'must be in the range 1-100'));
}

function validatePodAffinity(affinity: PodAffinity, path: FieldPath, errors: FieldError[]): void {
  const neededPath = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  for (const [i, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries())
    validatePodAffinityTerm(term, neededPath.index(i), errors);
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [i, weighted] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    checkWeight(weighted.weight ?? 0, preferredPath.index(i).child('weight'), errors);
    validatePodAffinityTerm(weighted.podAffinityTerm ?? {}, preferredPath.index(i).child('podAffinityTerm'), errors);
  }
}

function validatePodAffinityTerm(term: Partial<PodAffinityTerm>, path: FieldPath, errors: FieldError[]): void {
  errors.push(...validateLabelSelector(term.labelSelector, path.child('labelSelector')));
  errors.push(...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')));
  for (const namespace of term.namespaces ?? [])
    checkText(namespace, (name) => nameIsDnsLabel(name, false), path.child('namespace'), errors);
  validateLabelKeys(path, term.matchLabelKeys, term.mismatchLabelKeys, term.labelSelector, errors);
  const { topologyKey = '' } = term;
  if (topologyKey === '') errors.push(required(path.child('topologyKey'), 'can not be empty'));
  checkText(topologyKey, validateQualifiedName, path.child('topologyKey'), errors);
}

/** Keys whose values are taken from the Pod; the selector may name them only once, as the server adds them to it. */
function validateLabelKeys(
  path: FieldPath,
  match: readonly string[] = [],
  mismatch: readonly string[] = [],
  selector: LabelSelector | undefined,
  errors: FieldError[],
): void {
  checkLabelKeys(match, selector, path.child('matchLabelKeys'), errors);
  checkLabelKeys(mismatch, selector, path.child('mismatchLabelKeys'), errors);
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    const i = match.lastIndexOf(key);
    if (i >= 0 && seen.has(key))
      errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  }
  for (const [i, key] of match.entries())
    if (mismatch.includes(key)) {
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
      errors.push(invalid(path.child('matchLabelKeys').index(i), key, detail));
    }
}

function checkLabelKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (keys.length === 0) return;
  if (!selector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  else for (const [i, key] of keys.entries()) checkText(key, validateQualifiedName, path.index(i), errors);
}

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, constraint] of constraints.entries()) {
    const { topologyKey = '', whenUnsatisfiable: action = '', minDomains } = constraint;
    const at = path.index(i);
    checkPositive(constraint.maxSkew ?? 0, at.child('maxSkew'), errors);
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    checkSupported(action, ['DoNotSchedule', 'ScheduleAnyway'], at.child('whenUnsatisfiable'), errors);
    const repeated = constraints
      .slice(i + 1)
      .some((other) => (other.topologyKey ?? '') === topologyKey && (other.whenUnsatisfiable ?? '') === action);
    if (repeated) errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${action}}`));
    if (minDomains !== undefined) {
      checkPositive(minDomains, at.child('minDomains'), errors);
      if (action !== 'DoNotSchedule') {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
        errors.push(invalid(at.child('minDomains'), minDomains, detail));
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field];
      if (policy !== undefined) checkSupported(policy, ['Honor', 'Ignore'], at.child(field), errors);
    }
    validateLabelKeys(at, constraint.matchLabelKeys, undefined, constraint.labelSelector, errors);
    errors.push(...validateLabelSelector(constraint.labelSelector, at.child('labelSelector')));
  }
}

const anyKey = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

export function validateTolerations(tolerations: readonly Toleration[], path: FieldPath, errors: FieldError[]): void {
  for (const [i, toleration] of tolerations.entries()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const at = path.index(i);
    if (key !== '') checkText(key, validateQualifiedName, at.child('key'), errors);
    else if (operator !== 'Exists') errors.push(invalid(at.child('operator'), operator, anyKey));
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalid(at.child('effect'), effect, detail));
    }
    validateTolerationOperator(operator, value, at.child('operator'), errors);
    if (effect !== '') validateTaintEffect(effect, at.child('effect'), errors);
  }
}

function validateTolerationOperator(operator: string, value: string, path: FieldPath, errors: FieldError[]): void {
  if (operator === 'Equal' || operator === '') {
    const violations = validateLabelValue(value);
    if (violations.length > 0) errors.push(invalid(path, value, violations.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(path, value, "value must be empty when `operator` is 'Exists'"));
  } else {
    const known = ['Equal', 'Exists'];
    const supported = operator === 'Lt' || operator === 'Gt' ? [...known, 'Lt', 'Gt'] : known;
    errors.push(notSupported(path, operator, supported));
  }
}

export function validateSchedulingGates(
  gates: readonly PodSchedulingGate[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [i, { name = '' }] of gates.entries()) {
    checkText(name, validateQualifiedName, path.index(i), errors);
    if (seen.has(name)) errors.push(duplicate(path.index(i), name));
    seen.add(name);
  }
}

export function validateSchedulingGroup(group: PodSchedulingGroup, path: FieldPath, errors: FieldError[]): void {
  const name = group.podGroupName;
  if (name === undefined) errors.push(invalid(path.child('podGroupName'), null, 'must specify one of: `podGroupName`'));
  else checkDnsSubdomain(name, path.child('podGroupName'), errors);
}
