import { badRequestError, validateDns1123Label, validateDns1123Subdomain } from '@tektite/meta';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { type AuthorizationAttributes, type Authorizer, attributesOf, forbiddenRequestError } from './authorizer.ts';

const extraPrefix = 'impersonate-extra-';

interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * Acts on `Impersonate-*` headers: the one who asks must be allowed to be the other. Without such headers the user is
 * returned as he is.
 */
export function impersonate(
  request: ApiRequest,
  user: UserInfo,
  info: RequestInfo,
  authorizer: Authorizer | undefined,
): UserInfo {
  const wanted = readHeaders(request);
  if (!wanted) return user;
  if (wanted.name === '') throw badRequestError(`requested ${describe(wanted)} without impersonating a user name`);
  const mayBeNode = isNode(wanted) && (!authorizer || mayImpersonateNode(authorizer, user, wanted, info));
  if (authorizer && !mayBeNode) checkPermission(authorizer, user, wanted, info);
  return becomeUser(wanted, mayBeNode);
}

function readHeaders({ headers }: ApiRequest): Wanted | undefined {
  const list = (value: string | undefined) =>
    value
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '') ?? [];
  // Keys come from the names of headers, so anything may be one.
  const extra = Object.create(null) as Record<string, readonly string[]>;
  for (const name of Object.keys(headers)) {
    if (name.startsWith(extraPrefix)) extra[decodeKey(name.slice(extraPrefix.length))] = list(headers[name]);
  }
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = list(headers['impersonate-group']);
  if (name === '' && uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  return { name, uid, groups, extra };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The namespace and the name of the service account that a user is; `undefined` for names that no account can have. */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace === '' || validateDns1123Label(namespace).length > 0) return undefined;
  return validateDns1123Subdomain(name).length > 0 ? undefined : { namespace, name };
}

const nodePrefix = 'system:node:';

/** A node alone: with groups or anything else, the name is only a name. */
function isNode({ name, uid, groups, extra }: Wanted): boolean {
  if (uid !== '' || groups.length > 0 || Object.keys(extra).length > 0 || !name.startsWith(nodePrefix)) return false;
  return validateDns1123Subdomain(name.slice(nodePrefix.length)).length === 0;
}

/** Whether the user may be any node for this request. Otherwise the node is a user like others, and in no group of nodes. */
function mayImpersonateNode(authorizer: Authorizer, user: UserInfo, wanted: Wanted, info: RequestInfo): boolean {
  const request = { ...attributesOf(user, info), verb: `impersonate-on:arbitrary-node:${info.verb}` };
  const node: AuthorizationAttributes = {
    user,
    verb: 'impersonate:arbitrary-node',
    isResourceRequest: true,
    group: 'authentication.k8s.io',
    resource: 'nodes',
    subresource: '',
    namespace: '',
    name: wanted.name.slice(nodePrefix.length),
    path: '',
  };
  return authorizer.authorize(request).allowed && authorizer.authorize(node).allowed;
}

function checkPermission(authorizer: Authorizer, user: UserInfo, wanted: Wanted, info: RequestInfo): void {
  const may = (group: string, resource: string, name: string, subresource = '', namespace = '') =>
    authorizer.authorize({
      user,
      verb: 'impersonate',
      isResourceRequest: true,
      group,
      resource,
      subresource,
      namespace,
      name,
      path: '',
    }).allowed;
  const account = accountOf(wanted.name);
  const allowed =
    (account ? may('', 'serviceaccounts', account.name, '', account.namespace) : may('', 'users', wanted.name)) &&
    wanted.groups.every((group) => may('', 'groups', group)) &&
    (wanted.uid === '' || may('authentication.k8s.io', 'uids', wanted.uid)) &&
    Object.entries(wanted.extra).every(([key, values]) =>
      values.every((value) => may('authentication.k8s.io', 'userextras', value, key)),
    );
  if (allowed) return;
  // Upstream reports the permission that was tried last: to impersonate a user in this one request.
  const mode = account ? 'serviceaccount' : 'user-info';
  const attributes: AuthorizationAttributes = {
    ...attributesOf(user, info),
    verb: `impersonate-on:${mode}:${info.verb}`,
  };
  throw forbiddenRequestError(attributes);
}

function becomeUser({ name, uid, groups, extra }: Wanted, isNode: boolean): UserInfo {
  const all = isNode ? ['system:nodes'] : [...groups];
  const account = accountOf(name);
  if (account && groups.length === 0) all.push('system:serviceaccounts', `system:serviceaccounts:${account.namespace}`);
  const everybody = name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  if (!all.includes(everybody)) all.push(everybody);
  return { name, ...(uid === '' ? {} : { uid }), groups: all, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

/** As Go prints the struct. */
function describe({ name, uid, groups, extra }: Wanted): string {
  const strings = (words: readonly string[]) =>
    words.length === 0 ? '[]string(nil)' : `[]string{${words.map((word) => JSON.stringify(word)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${strings(values)}`);
  const map = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${strings(groups)}, Extra:${map}}`;
}
