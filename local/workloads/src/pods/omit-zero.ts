/** An object without the fields that are 0 or undefined: Go leaves them out, so they would look like a difference for ever. */
export function omitZero<T extends object>(fields: T): { [K in keyof T]?: T[K] } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0 && value !== undefined)) as {
    [K in keyof T]?: T[K];
  };
}
