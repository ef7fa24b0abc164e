import { type FieldRequirement, parseFieldSelector } from '@tektite/meta';

/** The attributes of a request, from its method and path, in the words of RBAC and admission. */
export interface RequestInfo {
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the HTTP method in lower case for paths that are not resources. */
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path's segments after the version, unescaped. */
  readonly parts: readonly string[];
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Segments under `/namespaces/NAME/` that are subresources of the namespace, not resources in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * Reads a request's path as upstream does. `/api/v1/namespaces/x/pods/p/log` is the subresource `log` of pod `p` in `x`;
 * `/api/v1/namespaces/x` is the namespace itself. The legacy `/watch/` prefix is understood.
 */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = splitPath(path);
  const plain: RequestInfo = {
    path,
    verb: method.toLowerCase(),
    isResourceRequest: false,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  };
  const prefix = segments[0];
  const start = prefix === 'api' ? 2 : prefix === 'apis' ? 3 : 0;
  if (start === 0 || segments.length <= start) return plain;
  const group = prefix === 'apis' ? (segments[1] as string) : '';
  const version = segments[start - 1] as string;

  let verb = (Object.hasOwn(verbs, method) && verbs[method]) || '';
  let parts = segments.slice(start);
  const legacyWatch = parts[0] === 'watch' && parts.length > 1;
  if (legacyWatch) {
    verb = 'watch';
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] as string;
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] as string)) parts = parts.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = parts;
  if (verb === 'get' && name === '') verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  if (verb === 'delete' && name === '') verb = 'deletecollection';
  return { path, verb, isResourceRequest: true, group, version, namespace, resource, subresource, name, parts };
}

/** `watch=1` and `watch=true` ask for a watch; `watch=` counts too, as it does upstream. */
function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

export function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  if (start === end) return [];
  const segments = path.slice(start, end).split('/');
  return path.includes('%') ? segments.map(unescape) : segments;
}

function unescape(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const selecting = new Set(['list', 'watch', 'deletecollection']);

/** The field selector of a request for many objects. One that cannot be read is refused later; nothing is granted for it. */
export function selectedFields({ verb }: RequestInfo, query: URLSearchParams): readonly FieldRequirement[] {
  const text = selecting.has(verb) ? query.get('fieldSelector') : null;
  if (!text) return [];
  try {
    return parseFieldSelector(text).requirements;
  } catch {
    return [];
  }
}

/**
 * The one object that a list or watch is about, when its field selector names it: who may read that object alone may list
 * and watch it so.
 */
export function selectedName({ verb }: RequestInfo, fields: readonly FieldRequirement[]): string {
  if (verb === 'deletecollection') return '';
  return fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value ?? '';
}
