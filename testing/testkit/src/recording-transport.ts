import type { Transport, TransportRequest } from '@tektite/client';

/** The RBAC attributes of a request. */
export interface AccessRecord {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** The compared part of a role. */
interface Rule {
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly verbs: readonly string[] | null;
}

/** A transport that remembers what was asked of the server. */
export interface RecordingTransport extends Transport {
  /**
   * Everything that was asked for, each once, in order of the first time. Paths that are no resources are left out. An apply
   * that made its object is a `create`, too: the server wants both to be allowed.
   */
  readonly accesses: readonly AccessRecord[];
  /**
   * Where a role and the program differ, a line each, `patch apps/deployments`: what the program did and the role does not
   * allow, and what the role allows and the program did not do. Both empty when the role is just what is needed.
   */
  compare(rules: readonly Rule[]): { readonly missing: readonly string[]; readonly unused: readonly string[] };
}

/**
 * Records the requests of a program, so that a test can check that its role allows all of them, and nothing more.
 *
 * @example const recorded = recordingTransport(plane.transport()); await using running = await startSystems([system], {
 * client: plane.clientFor(recorded), install: false }); // … let it do all it ever does …
 * expect(recorded.compare(clusterRoleFor(system).rules ?? [])).toEqual({ missing: [], unused: [] });
 */
export function recordingTransport(inner: Transport): RecordingTransport {
  const seen = new Map<string, AccessRecord>();
  const note = (request: TransportRequest, verb?: string): void => {
    const access = accessOf(request, verb);
    if (access && !seen.has(line(access))) seen.set(line(access), access);
  };
  return {
    get accesses() {
      return [...seen.values()];
    },
    compare(rules) {
      const allowed = new Set(rules.flatMap(linesOf));
      return {
        missing: [...seen.keys()].filter((each) => !allowed.has(each)).sort(),
        unused: [...allowed].filter((each) => !seen.has(each)).sort(),
      };
    },
    request: async (request) => {
      note(request);
      const answer = await inner.request(request);
      if (request.method === 'PATCH' && answer.status === 201) note(request, 'create');
      return answer;
    },
    watch: (request) => {
      note(request, 'watch');
      return inner.watch(request);
    },
    stream: (request) => {
      note(request);
      return inner.stream(request);
    },
    close: () => inner.close(),
  };
}

function line({ verb, group, resource, subresource }: AccessRecord): string {
  return `${verb} ${group === '' ? '' : `${group}/`}${resource}${subresource === '' ? '' : `/${subresource}`}`;
}

/** Every combination that a rule allows. Wildcards are compared as they are written: a role that is just enough has none. */
function linesOf({ apiGroups, resources, verbs: allowed }: Rule): readonly string[] {
  return (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((text) => {
      const [resource = '', subresource = ''] = text.split('/', 2);
      return (allowed ?? []).map((verb) => line({ verb, group, resource, subresource }));
    }),
  );
}

const verbs = { GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
/** Under a namespace these are of the namespace itself. */
const namespaceSubresources = new Set(['status', 'finalize']);

function accessOf({ method, path }: TransportRequest, asked?: string): AccessRecord | undefined {
  const [prefix, ...rest] = path.split('/').filter((segment) => segment !== '');
  const group = prefix === 'apis' ? (rest.shift() ?? '') : '';
  if (prefix !== 'api' && prefix !== 'apis') return undefined;
  rest.shift();
  if (rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')) rest.splice(0, 2);
  const [resource, name, subresource = ''] = rest;
  if (resource === undefined) return undefined;
  const verb = asked ?? verbs[method];
  if (name !== undefined) return { verb, group, resource, subresource };
  const many: Readonly<Record<string, string>> = { get: 'list', delete: 'deletecollection' };
  return { verb: many[verb] ?? verb, group, resource, subresource };
}
