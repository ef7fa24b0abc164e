/** Freezes lists and plain objects, all the way down. Values of classes stay as they are: some remember things. */
export function freezePlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezePlain(item);
  return value;
}
