import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';

export type ResourceName = 'results' | 'records' | 'logs';
export type Verb = 'create' | 'get' | 'list' | 'update' | 'delete';

/** The headers of a request that say who sends it: names in lower case, all values. */
export type CallerHeaders = ReadonlyMap<string, readonly string[]>;

/** Decides about each request. Rejects with the text for the client when it is denied. */
export interface Access {
  check(caller: CallerHeaders, namespace: string, resource: ResourceName, verb: Verb): Promise<void>;
}

/** The request is denied. As upstream, nothing says whether the token or the rights were missing. */
export class DeniedError extends Error {}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Review extends KubeObject {
  readonly status?: { readonly authenticated?: boolean; readonly user?: UserInfo; readonly allowed?: boolean };
}

interface Attributes {
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly verb: string;
}

/** An answer of the API server is kept so long: a client that pages asks for the same again and again. */
const maxAgeMs = 5000;
const maxEntries = 2048;

/**
 * Asks the Kubernetes API who sent a request (TokenReview) and what that user may (SubjectAccessReview), in the group
 * `results.tekton.dev`. Impersonation headers are honoured for those who may impersonate.
 */
export class KubernetesAccess implements Access {
  private readonly client: Client;
  private readonly known = new Map<string, { readonly answer: Promise<Review['status']>; readonly until: number }>();

  constructor(client: Client) {
    this.client = client;
  }

  async check(caller: CallerHeaders, parent: string, resource: ResourceName, verb: Verb): Promise<void> {
    const impersonated = readImpersonation(caller);
    const headers = caller.get('authorization') ?? [];
    if (headers.length === 0) throw new DeniedError('unable to find token');
    // All namespaces.
    const namespace = verb === 'list' && parent === '-' ? '' : parent;
    for (const header of headers) {
      const token = header.slice(header.indexOf(' ') + 1);
      if (!header.includes(' ')) continue;
      const review = await this.ask('authentication.k8s.io/v1', 'TokenReview', { token });
      if (review?.authenticated !== true || !review.user) continue;
      const user = impersonated ? await this.impersonate(review.user, impersonated) : review.user;
      if (await this.may(user, { namespace, group: 'results.tekton.dev', resource, verb })) return;
    }
    throw new DeniedError('permission denied');
  }

  private async impersonate(user: UserInfo, { user: target, needs }: Impersonation): Promise<UserInfo> {
    for (const attributes of needs)
      if (!(await this.may(user, { ...attributes, verb: 'impersonate' })))
        throw new DeniedError(
          `permission denied: forbidden: '${user.username}' doesn't have permission to impersonate '${attributes.resource}'`,
        );
    return target;
  }

  private async may(user: UserInfo, resourceAttributes: Attributes): Promise<boolean> {
    const { username = '', uid, groups, extra } = user;
    const spec = { user: username, uid, groups, extra, resourceAttributes };
    return (await this.ask('authorization.k8s.io/v1', 'SubjectAccessReview', spec))?.allowed === true;
  }

  private async ask(apiVersion: string, kind: string, spec: object): Promise<Review['status']> {
    const key = JSON.stringify([kind, spec]);
    const now = this.client.clock.monotonic();
    const known = this.known.get(key);
    if (known && known.until > now) return known.answer;
    if (this.known.size >= maxEntries) this.known.clear();
    const answer = this.client
      .create({ apiVersion, kind, metadata: {}, spec } as unknown as Review)
      .then(({ status }) => status);
    this.known.set(key, { answer, until: now + maxAgeMs });
    // A review that failed says nothing, and denies this request alone.
    return answer.catch(() => {
      this.known.delete(key);
      return undefined;
    });
  }
}

interface Impersonation {
  readonly user: UserInfo;
  readonly needs: readonly Omit<Attributes, 'verb'>[];
}

const extraPrefix = 'impersonate-extra-';
const authentication = 'authentication.k8s.io';

/** The user that the headers ask to act as, and what one must be allowed to impersonate for it. */
function readImpersonation(caller: CallerHeaders): Impersonation | undefined {
  const [username] = caller.get('impersonate-user') ?? [];
  const givenGroups = caller.get('impersonate-group') ?? [];
  const [uid] = caller.get('impersonate-uid') ?? [];
  const extraNames = [...caller.keys()].filter((name) => name.startsWith(extraPrefix));
  if (username === undefined) {
    if (givenGroups.length > 0 || uid !== undefined || extraNames.length > 0)
      throw new DeniedError('invalid impersonation data');
    return undefined;
  }
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  const needs: Omit<Attributes, 'verb'>[] = [
    namespace !== undefined && name !== undefined
      ? { resource: 'serviceaccounts', namespace, name }
      : { resource: 'users', name: username },
    ...givenGroups.map((group) => ({ resource: 'groups', name: group })),
    ...(uid === undefined ? [] : [{ group: authentication, resource: 'uids', name: uid }]),
  ];
  const extra: Record<string, readonly string[]> = {};
  for (const header of extraNames) {
    const key = unescaped(header.slice(extraPrefix.length));
    const values = caller.get(header) ?? [];
    Object.defineProperty(extra, key, { value: values, enumerable: true });
    for (const value of values)
      needs.push({ group: authentication, resource: 'userextras', subresource: key, name: value });
  }
  const groups =
    givenGroups.length === 0 && namespace !== undefined
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : [...givenGroups];
  if (username === 'system:anonymous') {
    if (!groups.includes('system:unauthenticated')) groups.push('system:unauthenticated');
  } else if (!groups.some((group) => group === 'system:authenticated' || group === 'system:unauthenticated'))
    groups.push('system:authenticated');
  return { user: { username, groups, extra, ...(uid === undefined ? {} : { uid }) }, needs };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
