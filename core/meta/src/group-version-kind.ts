/** The names by which the API knows a type: group, version, kind, and the plural that stands in URLs. */

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** `apps/v1` or, for the core group, `v1`. */
export function formatApiVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The inverse of {@link formatApiVersion}. More than one slash is an error and gives `undefined`. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `deployments.apps`, or `pods` for the core group. */
export function formatGroupResource(group: string, resource: string): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `Deployment.apps`, or `Pod` for the core group: how Status messages name a kind. */
export function formatGroupKind(group: string, kind: string): string {
  return group === '' ? kind : `${kind}.${group}`;
}

const versionPattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

/**
 * Kubernetes' order of versions: stable before beta before alpha, higher numbers first; anything that does not look
 * like a version comes last, by name. For `Array.prototype.sort`: most preferred first.
 */
export function compareVersions(a: string, b: string): number {
  const left = versionPattern.exec(a);
  const right = versionPattern.exec(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  const stability = (match: RegExpExecArray) => (match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0);
  return (
    stability(right) - stability(left) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
