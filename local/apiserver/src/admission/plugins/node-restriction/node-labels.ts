type Labels = Readonly<Record<string, string>> | null | undefined;

/** Labels of Kubernetes' own domains that a kubelet sets about its machine. */
const kubeletLabels = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const kubernetesDomains = ['kubernetes.io', 'k8s.io'];
const restrictedDomain = 'node-restriction.kubernetes.io';

/** The changed labels that a node may not change, sorted: with them it could attract Pods that are not meant for it. */
export function forbiddenLabels(before: Labels, after: Labels): string[] {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...keys].filter((key) => before?.[key] !== after?.[key] && isForbidden(key)).sort();
}

function isForbidden(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (isWithin(domain, restrictedDomain)) return true;
  if (!kubernetesDomains.some((own) => isWithin(domain, own))) return false;
  return !kubeletLabels.has(key) && !kubeletDomains.some((own) => isWithin(domain, own));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
