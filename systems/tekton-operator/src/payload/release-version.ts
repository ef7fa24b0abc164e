/** A version of a release, with or without the `v`: `1.15.0`, `v0.37.0-rc.1`. */
const pattern = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

export function isReleaseVersion(text: string): boolean {
  return pattern.test(text);
}

/** Below zero when `a` is the older one. What is no version is older than everything. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [pattern.exec(a), pattern.exec(b)];
  if (!left || !right) return (left ? 1 : 0) - (right ? 1 : 0);
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part] ?? 0) - Number(right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePrerelease(left[4], right[4]);
}

/** A release without a word behind it is newer than one with. */
function comparePrerelease(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [x, y] = [left[index], right[index]];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (x === y) continue;
    const numbers = [x, y].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
    if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1];
    if (numbers[0] !== undefined) return -1;
    if (numbers[1] !== undefined) return 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

/** Versions, the newest first; names that are no versions at the end. */
export function newestFirst(versions: readonly string[]): readonly string[] {
  return [...versions].sort((a, b) => compareVersions(b, a) || (a < b ? 1 : -1));
}

/** The same version, whatever each is called: `v1.15.0` is `1.15.0`. */
export function isSameVersion(a: string, b: string): boolean {
  return a.replace(/^v/, '') === b.replace(/^v/, '');
}
