import type { GroupVersionKind, KubeObject } from '@tektite/meta';
import { type AccessQuestion, authorizerValue, jsonValue, requestResourceValue, type Value } from '@tektite/schema';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { Resource } from '../../registry/resource.ts';
import type { UserInfo } from '../../request/api-request.ts';
import { type AdmissionRequest, kindOf } from '../admission.ts';
import type { ReviewedObjects } from '../matching/object-versions.ts';
import type { Variables } from './evaluate.ts';

/** The inputs of the variables of a request. */
export interface VariableParts {
  readonly request: AdmissionRequest;
  /** The version of the objects in expressions. */
  readonly resource: Resource;
  readonly objects: ReviewedObjects;
  readonly authorizer: Authorizer;
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
}

/** The variables of an expression about a request. Values are made when they are first asked for. */
export function requestVariables(parts: VariableParts): Variables {
  const { request, resource, objects, authorizer, namespace, params } = parts;
  const makers: Readonly<Record<string, () => Value>> = {
    object: () => jsonValue(objects.object ?? null),
    oldObject: () => jsonValue(objects.oldObject ?? null),
    request: () => jsonValue(describeRequest(request, resource)),
    namespaceObject: () => jsonValue(namespace ? withoutOwners(namespace) : null),
    params: () => jsonValue(params ?? null),
    authorizer: () => authorizerValue((question) => ask(authorizer, request.user, question)),
    'authorizer.requestResource': () =>
      requestResourceValue((question) => ask(authorizer, request.user, question), {
        group: request.resource.group,
        resource: request.resource.plural,
        subresource: request.subresource,
        namespace: request.namespace,
        name: request.name,
      }),
  };
  const made = new Map<string, Value>();
  return (name) => {
    if (!made.has(name) && Object.hasOwn(makers, name)) made.set(name, (makers[name] as () => Value)());
    return made.get(name);
  };
}

/** The kind of what is reviewed, seen through one version of the resource. */
export function kindIn(request: AdmissionRequest, resource: Resource): GroupVersionKind {
  return request.kind ?? { group: resource.group, version: resource.version, kind: resource.kind };
}

/**
 * The request in the form of webhooks and expressions, without the objects. `resource` is the requested version, which
 * may differ from that of the request.
 */
export function describeRequest(request: AdmissionRequest, resource: Resource): Record<string, unknown> {
  const { group, version, plural } = request.resource;
  const { subresource, name, namespace } = request;
  const own = kindOf(request);
  const seen = kindIn(request, resource);
  return {
    kind: { group: seen.group, version: seen.version, kind: seen.kind },
    resource: { group: resource.group, version: resource.version, resource: resource.plural },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { group: own.group, version: own.version, kind: own.kind },
    requestResource: { group, version, resource: plural },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: describeUser(request.user),
    dryRun: request.dryRun,
    options: request.options,
  };
}

function describeUser({ name, uid, groups, extra }: UserInfo): Record<string, unknown> {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/** Expressions are not shown who manages or owns a namespace. */
function withoutOwners({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _, ownerReferences: __, ...shown } = metadata;
  return { ...rest, metadata: shown };
}

function ask(authorizer: Authorizer, user: UserInfo, question: AccessQuestion): { allowed: boolean; reason: string } {
  const {
    serviceAccount,
    path,
    verb,
    group = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = question;
  return authorizer.authorize({
    user: serviceAccount ? accountUser(serviceAccount) : user,
    verb,
    isResourceRequest: path === undefined,
    group,
    resource,
    subresource,
    namespace,
    name,
    path: path ?? '',
  });
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
