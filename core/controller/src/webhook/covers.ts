/**
 * Whether `actual` has everything that `wanted` says. Fields of objects that `wanted` does not name may be anything, which is
 * what servers fill in; lists have to be the same length.
 */
export function covers(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined || actual === wanted) return true;
  if (typeof actual !== 'object' || typeof wanted !== 'object' || actual === null || wanted === null) return false;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) return false;
    return wanted.every((item, at) => covers(actual[at], item));
  }
  if (Array.isArray(actual)) return false;
  return Object.entries(wanted).every(([key, value]) =>
    covers(Object.hasOwn(actual, key) ? (actual as Record<string, unknown>)[key] : undefined, value),
  );
}
