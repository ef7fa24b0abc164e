import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type { PodSpec, ResourceClaim, ResourceRequirements } from '@tektite/schema/kubernetes';
import { checkDnsLabel } from '../../field-checks.ts';
import {
  isHugePages,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
  validateResourceQuantity,
} from '../resource-names.ts';
import { aggregateContainerLimits, aggregateContainerRequests } from './aggregate-resources.ts';

type NameCheck = (name: string, path: FieldPath, errors: FieldError[]) => void;

export function validateContainerResources(
  requirements: ResourceRequirements,
  claimNames: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  validateRequirements(requirements, validateContainerResourceName, claimNames, path, errors);
}

/** Resources of the Pod as a whole must hold those of its containers. */
export function validatePodResources(
  spec: PodSpec,
  resources: ResourceRequirements,
  claimNames: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (spec.os?.name === 'windows') {
    errors.push(forbidden(path, 'may not be set for a windows pod'));
    return;
  }
  if (resources.claims !== undefined)
    errors.push(forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  validateRequirements(resources, validatePodResourceName, claimNames, path, errors);
  checkConsistency(spec, resources, path, errors);
}

function validatePodResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (!validateResourceName(name, path, errors)) return;
  if (name !== 'cpu' && name !== 'memory' && !isHugePages(name))
    errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']));
}

function validateRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  checkName: NameCheck,
  claimNames: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const name in limits) {
    const limitPath = path.child('limits').key(name);
    checkName(name, limitPath, errors);
    validateResourceQuantity(name, limits[name] as string, limitPath, errors);
    checkHugePages(name, limits[name] as string, limitPath, errors);
  }
  for (const name in requests) {
    const requestPath = path.child('requests').key(name);
    const request = requests[name] as string;
    checkName(name, requestPath, errors);
    validateResourceQuantity(name, request, requestPath, errors);
    checkAgainstLimit(name, request, limits[name], path, errors);
    checkHugePages(name, request, requestPath, errors);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory'))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  validateClaims(claims, claimNames, path.child('claims'), errors);
}

function checkAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name))
      errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'));
    return;
  }
  const order = Quantity.parse(request).compare(Quantity.parse(limit));
  if (order !== 0 && !isOvercommitAllowed(name))
    errors.push(invalid(path.child('requests'), request, `must be equal to ${name} limit of ${limit}`));
  else if (order > 0)
    errors.push(invalid(path.child('requests'), request, `must be less than or equal to ${name} limit of ${limit}`));
}

function checkHugePages(name: string, quantity: string, path: FieldPath, errors: FieldError[]): void {
  if (!isHugePages(name) || isMultipleOfPageSize(name, quantity)) return;
  errors.push(invalid(path, quantity, `${quantity} is not positive integer multiple of ${name}`));
}

function isMultipleOfPageSize(name: string, quantity: string): boolean {
  try {
    const pageSize = Quantity.parse(name.slice('hugepages-'.length));
    if (pageSize.sign <= 0 || pageSize.milliValue % 1000n !== 0n) return false;
    return Quantity.parse(quantity).value % pageSize.value === 0n;
  } catch {
    return false;
  }
}

function validateClaims(
  claims: readonly ResourceClaim[],
  claimNames: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [i, { name = '', request = '' }] of claims.entries()) {
    const claimPath = path.index(i);
    if (name === '') {
      errors.push(required(claimPath));
      continue;
    }
    const key = request === '' ? name : `${name}/${request}`;
    if (seen.has(name)) errors.push(duplicate(claimPath, name));
    else {
      if (request !== '') checkDnsLabel(request, claimPath.child('request'), errors);
      if (seen.has(key)) errors.push(duplicate(claimPath, key));
      else if (request === '')
        for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(claimPath, name));
      seen.add(key);
    }
    if (!claimNames.includes(name)) errors.push(unknownClaim(claimPath, name, claimNames));
  }
}

function unknownClaim(path: FieldPath, name: string, claimNames: readonly string[]): FieldError {
  const known = claimNames.length === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
  const error = notFound(path, name);
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${known}` };
}

function checkConsistency(spec: PodSpec, resources: ResourceRequirements, path: FieldPath, errors: FieldError[]): void {
  for (const [name, total] of aggregateContainerRequests(spec)) {
    const ofPod = resources.requests?.[name];
    if (ofPod === undefined || total.compare(Quantity.parse(ofPod)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${total}`;
    errors.push(invalid(path.child('requests').key(name), ofPod, detail));
  }
  for (const [name, total] of aggregateContainerLimits(spec)) {
    const ofPod = isHugePages(name) ? resources.limits?.[name] : undefined;
    if (ofPod === undefined || total.compare(Quantity.parse(ofPod)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${total}`;
    errors.push(invalid(path.child('limits').key(name), ofPod, detail));
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const ofPod = resources.limits?.[name];
      if (ofPod === undefined || Quantity.parse(limit).compare(Quantity.parse(ofPod)) <= 0) continue;
      const limitPath = path.child('containers').index(i).key(name).child('limits');
      errors.push(invalid(limitPath, limit, `must be less than or equal to pod limits of ${ofPod}`));
    }
  }
}
