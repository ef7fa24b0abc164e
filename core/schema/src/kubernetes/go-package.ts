/**
 * Go packages and what the API calls them. The group `rbac.authorization.k8s.io` lives in the package `rbac`, and OpenAPI
 * names its types `io.k8s.api.rbac.v1.Role`.
 */
const packageOfGroup: Readonly<Record<string, string>> = {
  '': 'core',
  'admissionregistration.k8s.io': 'admissionregistration',
  'apiextensions.k8s.io': 'apiextensions',
  'apiregistration.k8s.io': 'apiregistration',
  apps: 'apps',
  'authentication.k8s.io': 'authentication',
  'authorization.k8s.io': 'authorization',
  autoscaling: 'autoscaling',
  batch: 'batch',
  'certificates.k8s.io': 'certificates',
  'coordination.k8s.io': 'coordination',
  'discovery.k8s.io': 'discovery',
  'events.k8s.io': 'events',
  'flowcontrol.apiserver.k8s.io': 'flowcontrol',
  'networking.k8s.io': 'networking',
  'node.k8s.io': 'node',
  policy: 'policy',
  'rbac.authorization.k8s.io': 'rbac',
  'resource.k8s.io': 'resource',
  'scheduling.k8s.io': 'scheduling',
  'storage.k8s.io': 'storage',
};

/** The key of a kind's definition (`rbac/v1.Role`), whether or not there is one. */
export function definitionKey(group: string, version: string, type: string): string {
  return `${Object.hasOwn(packageOfGroup, group) ? packageOfGroup[group] : group}/${version}.${type}`;
}

/** The name of a definition in OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
export function openApiName(key: string): string {
  const name = key.replace('/', '.');
  if (key.startsWith('meta/')) return `io.k8s.apimachinery.pkg.apis.${name}`;
  if (key.startsWith('apiextensions/')) return `io.k8s.apiextensions-apiserver.pkg.apis.${name}`;
  if (key.startsWith('apiregistration/')) return `io.k8s.kube-aggregator.pkg.apis.${name}`;
  return `io.k8s.api.${name}`;
}
