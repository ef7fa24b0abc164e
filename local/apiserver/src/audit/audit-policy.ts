import { parseFirstYaml } from '@tektite/schema/yaml';
import type { UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';

export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** How much of a request is recorded. */
export type AuditLevel = (typeof auditLevels)[number];

export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** The part of a policy that applies to one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

interface ResourceRule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface AuditRule extends AuditDecision {
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
  readonly resources: readonly ResourceRule[] | undefined;
  readonly nonResourceURLs: readonly string[] | undefined;
}

const nothing: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/** The rules of an audit policy: the first that matches a request decides; without one, nothing is recorded. */
export class AuditPolicy {
  private readonly rules: readonly AuditRule[];

  private constructor(rules: readonly AuditRule[]) {
    this.rules = rules;
  }

  /** Reads `audit.k8s.io/v1 Policy`, the file of `--audit-policy-file`. Throws an Error that names the wrong field. */
  static parse(text: string): AuditPolicy {
    const root = asObject(parseFirstYaml(text)?.value, 'the file');
    if (root['apiVersion'] !== 'audit.k8s.io/v1' || root['kind'] !== 'Policy')
      throw new Error('expected apiVersion audit.k8s.io/v1 and kind Policy');
    const stages = readStages(root['omitStages'], 'omitStages');
    const fields = root['omitManagedFields'] === true;
    const rules = asList(root['rules'], 'rules').map((rule, index) =>
      readRule(rule, `rules[${index}]`, stages, fields),
    );
    if (rules.length === 0) throw new Error('rules is empty');
    return new AuditPolicy(rules);
  }

  /** Rules that name users or groups do not match a request without a user. */
  decide(user: UserInfo | undefined, info: RequestInfo): AuditDecision {
    return this.rules.find((rule) => matches(rule, user, info)) ?? nothing;
  }
}

function matches(rule: AuditRule, user: UserInfo | undefined, info: RequestInfo): boolean {
  const among = (wanted: readonly string[], value: string) => wanted.length === 0 || wanted.includes(value);
  if (!user && (rule.users.length > 0 || rule.userGroups.length > 0)) return false;
  if ((user && !among(rule.users, user.name)) || !among(rule.verbs, info.verb)) return false;
  if (rule.userGroups.length > 0 && !user?.groups.some((group) => rule.userGroups.includes(group))) return false;
  if (!rule.resources && !rule.nonResourceURLs && rule.namespaces.length === 0) return true;
  if (!info.isResourceRequest) return rule.nonResourceURLs?.some((pattern) => matchesPath(pattern, info.path)) ?? false;
  if (rule.nonResourceURLs && !rule.resources && rule.namespaces.length === 0) return false;
  if (rule.namespaces.length > 0 && !rule.namespaces.includes(info.namespace)) return false;
  return !rule.resources || rule.resources.some((each) => matchesResource(each, info));
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1));
}

function matchesResource({ group, resources, resourceNames }: ResourceRule, info: RequestInfo): boolean {
  if (group !== info.group) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  if (resources.length === 0) return true;
  const { resource, subresource } = info;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (each) =>
      each === '*' ||
      each === combined ||
      (subresource !== '' && (each === `*/${subresource}` || each === `${resource}/*`)),
  );
}

function readRule(
  value: unknown,
  path: string,
  stages: ReadonlySet<AuditStage>,
  omitManagedFields: boolean,
): AuditRule {
  const rule = asObject(value, path);
  const level = auditLevels.find((each) => each === rule['level']);
  if (!level) throw new Error(`${path}.level has to be one of ${auditLevels.join(', ')}`);
  const texts = (field: string) => readTexts(rule[field], `${path}.${field}`);
  const own = rule['omitManagedFields'];
  return {
    level,
    users: texts('users'),
    userGroups: texts('userGroups'),
    verbs: texts('verbs'),
    namespaces: texts('namespaces'),
    nonResourceURLs: rule['nonResourceURLs'] === undefined ? undefined : texts('nonResourceURLs'),
    resources:
      rule['resources'] === undefined
        ? undefined
        : asList(rule['resources'], `${path}.resources`).map((each, index) =>
            readResource(each, `${path}.resources[${index}]`),
          ),
    omitStages: new Set([...stages, ...readStages(rule['omitStages'], `${path}.omitStages`)]),
    omitManagedFields: typeof own === 'boolean' ? own : omitManagedFields,
  };
}

function readResource(value: unknown, path: string): ResourceRule {
  const { group = '', resources, resourceNames } = asObject(value, path);
  if (typeof group !== 'string') throw new Error(`${path}.group is no text`);
  return {
    group,
    resources: readTexts(resources, `${path}.resources`),
    resourceNames: readTexts(resourceNames, `${path}.resourceNames`),
  };
}

function readStages(value: unknown, path: string): Set<AuditStage> {
  const stages = readTexts(value, path).map((text) => {
    const stage = auditStages.find((each) => each === text);
    if (!stage) throw new Error(`${path}: ${text} is none of ${auditStages.join(', ')}`);
    return stage;
  });
  return new Set(stages);
}

function readTexts(value: unknown, path: string): readonly string[] {
  if (value === undefined || value === null) return [];
  return asList(value, path).map((each) => {
    if (typeof each !== 'string') throw new Error(`${path} is no list of texts`);
    return each;
  });
}

function asObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${path} is no object`);
  return value as Readonly<Record<string, unknown>>;
}

function asList(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${path} is no list`);
  return value;
}
