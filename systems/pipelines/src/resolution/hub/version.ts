const pattern = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.~-]+)|([A-Za-z~][0-9A-Za-z.~-]*))?(?:\+([0-9A-Za-z.~-]+))?$/;

/** `1.2.3-rc.1`. Has at least three numbers. */
export interface Version {
  readonly segments: readonly number[];
  readonly prerelease: string;
  readonly metadata: string;
}

export function parseVersion(text: string): Version | undefined {
  const [, numbers, dashed = '', plain = '', metadata = ''] = pattern.exec(text.trim()) ?? [];
  if (numbers === undefined) return undefined;
  const segments = numbers.split('.').map(Number);
  while (segments.length < 3) segments.push(0);
  return { segments, prerelease: dashed || plain, metadata };
}

export function formatVersion({ segments, prerelease, metadata }: Version): string {
  return `${segments.join('.')}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`;
}

/** Negative if `a` is older. What was made before a release is older than it. */
export function compareVersions(a: Version, b: Version): number {
  for (let index = 0; index < Math.max(a.segments.length, b.segments.length); index++) {
    const difference = (a.segments[index] ?? 0) - (b.segments[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '' || b.prerelease === '') return a.prerelease === '' ? 1 : -1;
  return comparePrereleases(a.prerelease.split('.'), b.prerelease.split('.'));
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [mine, other] = [a[index], b[index]];
    if (mine === other) continue;
    if (mine === undefined || other === undefined) return mine === undefined ? -1 : 1;
    const [left, right] = [/^\d+$/.test(mine), /^\d+$/.test(other)];
    if (left && right) return Number(mine) - Number(other);
    if (left !== right) return left ? -1 : 1;
    return mine < other ? -1 : 1;
  }
  return 0;
}

/** Whether a version is wanted. */
export type Constraint = (version: Version) => boolean;

const term = /^(=|!=|>=|<=|>|<|~>)?\s*(\S+)$/;

/**
 * `>= 0.7, < 2`: all of the terms have to hold. A bare version is itself and nothing else. `undefined` for what is no constraint.
 *
 * @example
 * parseConstraint('~> 0.9')?.(parseVersion('0.10.0')) // true: 0.x from 0.9 on
 */
export function parseConstraint(text: string): Constraint | undefined {
  const terms = text.split(',').map(parseTerm);
  return terms.includes(undefined) ? undefined : (version) => terms.every((each) => each?.(version));
}

function parseTerm(text: string): Constraint | undefined {
  const [, operator = '=', wanted = ''] = term.exec(text.trim()) ?? [];
  const limit = parseVersion(wanted);
  if (!limit) return undefined;
  const given = /^v?([\d.]+)/.exec(wanted)?.[1]?.split('.').length ?? 1;
  // Pre-releases only match a constraint that names one.
  const fits = (version: Version) =>
    version.prerelease === '' ||
    (limit.prerelease !== '' && limit.segments.every((segment, index) => segment === version.segments[index]));
  const compare =
    (check: (difference: number) => boolean): Constraint =>
    (version) =>
      fits(version) && check(compareVersions(version, limit));
  switch (operator) {
    case '!=':
      return (version) => compareVersions(version, limit) !== 0;
    case '>':
      return compare((difference) => difference > 0);
    case '>=':
      return compare((difference) => difference >= 0);
    case '<':
      return compare((difference) => difference < 0);
    case '<=':
      return compare((difference) => difference <= 0);
    case '~>':
      return (version) =>
        fits(version) &&
        compareVersions(version, limit) >= 0 &&
        limit.segments.slice(0, Math.max(given - 1, 1)).every((segment, index) => segment === version.segments[index]);
    default:
      return (version) => compareVersions(version, limit) === 0;
  }
}
