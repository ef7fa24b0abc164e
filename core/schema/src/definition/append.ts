/**
 * Adds all of `more`. Unlike `push(...more)` it takes any number: a definition can have more errors than a call can
 * have arguments.
 */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}
