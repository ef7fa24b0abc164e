import type {
  FlowSchema,
  FlowcontrolV1Subject,
  NonResourcePolicyRule,
  ResourcePolicyRule,
} from '@tektite/schema/kubernetes';
import type { UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';

const includes = (wanted: readonly string[] | null | undefined, value: string): boolean =>
  wanted?.some((each) => each === '*' || each === value) ?? false;

/** Whether a flow schema is about a request: one of its rules names the user and what is asked for. */
export function matchesFlowSchema({ spec }: FlowSchema, user: UserInfo, info: RequestInfo): boolean {
  return (spec?.rules ?? []).some(
    ({ subjects, resourceRules = [], nonResourceRules = [] }) =>
      subjects?.some((subject) => matchesSubject(subject, user)) &&
      (info.isResourceRequest
        ? resourceRules.some((rule) => matchesResource(rule, info))
        : nonResourceRules.some((rule) => matchesPath(rule, info))),
  );
}

function matchesSubject({ kind, user, group, serviceAccount }: FlowcontrolV1Subject, who: UserInfo): boolean {
  if (kind === 'User') return user?.name === '*' || user?.name === who.name;
  if (kind === 'Group') return group?.name === '*' || who.groups.includes(group?.name ?? '');
  if (kind !== 'ServiceAccount' || !serviceAccount) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  return serviceAccount.name === '*' ? who.name.startsWith(prefix) : who.name === `${prefix}${serviceAccount.name}`;
}

function matchesResource(rule: ResourcePolicyRule, info: RequestInfo): boolean {
  const { resource, subresource, namespace } = info;
  return (
    includes(rule.verbs, info.verb) &&
    includes(rule.apiGroups, info.group) &&
    includes(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    (namespace === '' ? rule.clusterScope === true : includes(rule.namespaces, namespace))
  );
}

function matchesPath({ verbs, nonResourceURLs }: NonResourcePolicyRule, { verb, path }: RequestInfo): boolean {
  if (!includes(verbs, verb)) return false;
  const matches = (url: string) =>
    url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1)));
  return nonResourceURLs?.some(matches) ?? false;
}
