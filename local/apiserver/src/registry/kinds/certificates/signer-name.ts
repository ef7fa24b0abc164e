import {
  type FieldError,
  type FieldPath,
  invalid,
  validateDns1123Label,
  validateDns1123Subdomain,
  type NameRule,
  nameIsDnsSubdomain,
  quoteGo,
  required,
  tooLong,
} from '@tektite/meta';

const maxDomainLength = 253;
const maxSignerNameLength = maxDomainLength + 1 + 253 + 63 + 1;

/** Whether the name of a signer belongs to Kubernetes itself. */
export function isKubernetesSigner(signerName: string): boolean {
  const domain = signerName.split('/', 1)[0] as string;
  return domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io');
}

/** `example.com/name`: a domain of two labels or more, and one path segment. */
export function validateSignerName(signerName: string, path: FieldPath, errors: FieldError[]): void {
  if (signerName === '') {
    errors.push(required(path));
    return;
  }
  const segments = signerName.split('/');
  if (segments.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalid(path, signerName, detail));
    return;
  }
  const [domain, name] = segments as [string, string];
  if (domain.length > maxDomainLength) errors.push(tooLong(path, maxDomainLength));
  const labels = domain.split('.');
  checkLabels(labels, domain, validateDns1123Label, path, errors);
  if (labels.length < 2)
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  checkLabels(name.split('.'), name, validateDns1123Subdomain, path, errors);
  if (signerName.length > maxSignerNameLength) errors.push(tooLong(path, maxSignerNameLength));
}

/** Reports the first bad label; more would only repeat it. */
function checkLabels(
  labels: readonly string[],
  value: string,
  rule: (label: string) => string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const label of labels) {
    const violations = rule(label);
    for (const violation of violations)
      errors.push(invalid(path, value, `validating label ${quoteGo(label)}: ${violation}`));
    if (violations.length > 0) return;
  }
}

/** The names that a ClusterTrustBundle of a signer may have. */
export function clusterTrustBundleName(signerName: string): NameRule {
  return (name, prefix) => {
    if (signerName === '') {
      if (name.includes(':')) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
      return nameIsDnsSubdomain(name, prefix);
    }
    const start = `${signerName.replaceAll('/', ':')}:`;
    if (!name.startsWith(start))
      return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${start}`];
    return nameIsDnsSubdomain(name.slice(start.length), prefix);
  };
}
