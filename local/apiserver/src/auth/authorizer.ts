import { type FieldRequirement, forbiddenError, type StatusError } from '@tektite/meta';
import type { UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** The attributes of an authorization check. */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** For requests that are not about a resource. */
  readonly path: string;
  /** The field selector of a list, watch or deletecollection; absent when there is none. */
  readonly fieldSelector?: readonly FieldRequirement[];
}

export interface Decision {
  readonly allowed: boolean;
  /** For a SubjectAccessReview; never shown to the user who was denied. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision;
}

export function attributesOf(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { verb, isResourceRequest, group, version, resource, subresource, namespace, name, path } = info;
  return { user, verb, isResourceRequest, group, version, resource, subresource, namespace, name, path };
}

/** The Forbidden error, in upstream's words. */
export function forbiddenRequestError(
  { user, verb, isResourceRequest, group, resource, subresource, namespace, name, path }: AuthorizationAttributes,
  reason = '',
): StatusError {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  const why = reason === '' ? '' : `: ${reason}`;
  if (!isResourceRequest) return forbiddenError(undefined, '', `${who} path ${JSON.stringify(path)}${why}`);
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return forbiddenError(
    { group, resource },
    name,
    `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${why}`,
  );
}
