import { type FieldError, type FieldPath, invalid, validateQualifiedName, Quantity } from '@tektite/meta';

/** The resource names of Kubernetes: cpu, memory, hugepages, quota counts, vendor resources. */

const quotaCounts = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const quotaAmounts = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];
const countResources = new Set(quotaCounts);
const quotaResources = new Set([...quotaCounts, ...quotaAmounts]);
const standardResources = new Set([...quotaResources, 'storage']);
const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage']);

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-');
/** A resource of Kubernetes itself, not of a vendor. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
/** Whether limits may exceed requests. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);
export const isStandardQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name);

function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return validateQualifiedName(`requests.${name}`).length === 0;
}

const isIntegerResource = (name: string): boolean => countResources.has(name) || isExtendedResource(name);

/** A qualified name, and a known one if it has no domain. */
export function validateResourceName(name: string, path: FieldPath, errors: FieldError[]): boolean {
  const violations = validateQualifiedName(name);
  for (const violation of violations) errors.push(invalid(path, name, violation));
  if (violations.length > 0) return false;
  if (name.includes('/') || standardResources.has(name) || isQuotaHugePages(name)) return true;
  errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
  return false;
}

export function validateContainerResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name))
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
}

export function validateQuotaResourceName(name: string, path: FieldPath, errors: FieldError[]): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/') && !isStandardQuotaResource(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
}

/** Not negative, and whole where the resource is counted. */
export function validateResourceQuantity(name: string, text: string, path: FieldPath, errors: FieldError[]): void {
  const quantity = Quantity.parse(text);
  if (quantity.sign < 0) errors.push(invalid(path, text, 'must be greater than or equal to 0'));
  if (isIntegerResource(name) && quantity.milliValue % 1000n !== 0n)
    errors.push(invalid(path, text, 'must be an integer'));
}
