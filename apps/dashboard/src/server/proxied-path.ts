/** Subresources that are no data: they open sessions in containers, or show what a Pod serves under this page's address. */
const closedSubresources = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * The path of the API that a request of the page means; `undefined` where the page has no business. Only objects, discovery and the
 * version: no other endpoints of the API server. Paths that servers read in different ways are denied.
 */
export function proxiedPath(path: string): string | undefined {
  if (path === '/version' || path === '/api' || path === '/apis') return path;
  if (!/^\/apis?\//.test(path) || !/^[\w./:~-]*$/.test(path.replace(/%(?:3A|20|2B|40)/gi, ''))) return undefined;
  const segments = path.split('/').slice(1);
  if (segments.some((segment) => segment === '' || /^\.+$/.test(segment))) return undefined;
  return subresourceOf(segments).some((name) => closedSubresources.has(name)) ? undefined : path;
}

/** The segments behind the name of an object: `log`, `status`, `proxy/path`. */
function subresourceOf(segments: readonly string[]): readonly string[] {
  const rest = segments.slice(segments[0] === 'api' ? 2 : 3);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2;
  return inNamespace ? rest.slice(4, 5) : rest.slice(2, 3);
}
