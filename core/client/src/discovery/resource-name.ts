import type { ApiResource } from './api-resource.ts';

/**
 * Finds what a user means by `deploy`, `Deployment`, `deployments.apps` or `deployments.v1.apps`. Plurals win over
 * singulars, kinds and short names; among equals the server's order decides.
 */
export function findByName(resources: readonly ApiResource[], text: string): ApiResource | undefined {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const inVersion = rest.length > 0 ? resources.filter(isInGroupVersion(rest)) : resources;
  const candidates = inVersion.length > 0 ? inVersion : resources.filter(({ group }) => group === rest.join('.'));
  return (
    candidates.find(({ plural }) => plural === name) ??
    candidates.find(({ singular, kind }) => singular === name || kind.toLowerCase() === name) ??
    candidates.find(({ shortNames }) => shortNames.includes(name))
  );
}

/** `v1.apps`, or `v1` alone for the core group. */
function isInGroupVersion([version, ...group]: readonly string[]): (resource: ApiResource) => boolean {
  return (resource) => resource.version === version && resource.group === group.join('.');
}
