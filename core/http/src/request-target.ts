/** The target of a request: a path that begins with a slash, and its query. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
}

const absolute = /^https?:\/\/[^/?#]*/i;

/**
 * Reads the target of a request line. `undefined` when it is none: `*`, an authority, or text that is no path. Does not use
 * `new URL`, which throws for targets such as `//` and resolves `..`.
 */
export function parseTarget(target: string | undefined): RequestTarget | undefined {
  const relative = (target ?? '').replace(absolute, '');
  const mark = relative.indexOf('?');
  const path = mark < 0 ? relative : relative.slice(0, mark);
  if (!path.startsWith('/')) return undefined;
  return { path, query: new URLSearchParams(mark < 0 ? '' : relative.slice(mark + 1)) };
}
