import {
  type FieldError,
  type FieldPath,
  invalid,
  validateQualifiedName,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type { ObjectFieldSelector, ResourceFieldSelector } from '@tektite/schema/kubernetes';
import { checkText } from '../../field-checks.ts';

/** Fields that upstream's conversion knows; which of them a place allows is another question. */
const knownFields = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'spec.host',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/** A reference to a field of the Pod itself, with or without the key of one label or annotation. */
export function validateFieldRef(
  ref: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const fieldPath = path.child('fieldPath');
  if (!ref.apiVersion) errors.push(required(path.child('apiVersion')));
  else if (!ref.fieldPath) errors.push(required(fieldPath));
  else {
    const [base, key] = splitSubscript(ref.fieldPath);
    const problem = conversionProblem(ref.apiVersion, ref.fieldPath, base, key);
    if (problem !== undefined) errors.push(invalid(fieldPath, ref.fieldPath, `error converting fieldPath: ${problem}`));
    else if (key !== undefined)
      checkText(base === 'metadata.annotations' ? key.toLowerCase() : key, validateQualifiedName, path, errors);
    else {
      const field = base === 'spec.host' ? 'spec.nodeName' : base;
      if (!allowed.includes(field)) errors.push(notSupported(fieldPath, field, allowed));
    }
  }
}

function conversionProblem(version: string, label: string, base: string, key: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (key !== undefined) {
    const known = base === 'metadata.annotations' || base === 'metadata.labels';
    return known ? undefined : `field label does not support subscript: ${label}`;
  }
  return knownFields.has(label) ? undefined : `field label not supported: ${label}`;
}

/** `metadata.labels['a']` is the field `metadata.labels` and the key `a`. */
function splitSubscript(fieldPath: string): [string, string | undefined] {
  const open = fieldPath.indexOf("['");
  if (open <= 0 || !fieldPath.endsWith("']") || open + 2 > fieldPath.length - 2) return [fieldPath, undefined];
  return [fieldPath.slice(0, open), fieldPath.slice(open + 2, -2)];
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const isHugePages = (resource: string): boolean =>
  resource.startsWith('limits.hugepages-') || resource.startsWith('requests.hugepages-');

/** A reference to a resource of a container; in a volume the container must be named. */
export function validateResourceFieldRef(
  ref: ResourceFieldSelector,
  path: FieldPath,
  errors: FieldError[],
  inVolume: boolean,
): void {
  const resource = ref.resource ?? '';
  if (inVolume && !ref.containerName) errors.push(required(path.child('containerName')));
  else if (resource === '') errors.push(required(path.child('resource')));
  else if (!resourceFields.includes(resource) && !isHugePages(resource))
    errors.push(notSupported(path.child('resource'), resource, resourceFields));
  validateDivisor(resource, ref.divisor, path.child('divisor'), errors);
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(resource: string, divisor: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (divisor === undefined || Quantity.parse(divisor).isZero) return;
  const name = resource.slice(resource.indexOf('.') + 1);
  if (name === 'cpu' && (resource === 'limits.cpu' || resource === 'requests.cpu')) {
    if (divisor !== '1' && divisor !== '1m')
      errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  if (!isHugePages(resource) && !resourceFields.includes(resource)) return;
  if (byteDivisors.includes(divisor)) return;
  const noun = isHugePages(resource) ? 'hugepages' : name === 'memory' ? 'memory' : 'local ephemeral storage';
  const detail = `only divisor's values ${byteDivisors.join(', ')} are supported with the ${noun} resource`;
  errors.push(invalid(path, resource, detail));
}
