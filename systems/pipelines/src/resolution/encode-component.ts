/** One component of a URL's path. Those that lead to another place are refused: no way of writing them keeps them from it. */
export function encodeComponent(component: string): string {
  if (component === '.' || component === '..') throw new Error(`invalid path component "${component}"`);
  return encodeURIComponent(component);
}
