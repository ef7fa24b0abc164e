import type { PolicyRule } from '@tektite/schema/kubernetes';
import type { AuthorizationAttributes } from './authorizer.ts';

/** Whether a rule of a role covers a request. */
export function ruleAllows(rule: PolicyRule, request: AuthorizationAttributes): boolean {
  if (!request.isResourceRequest)
    return has(rule.verbs, request.verb) && matchesPath(rule.nonResourceURLs, request.path);
  const resource = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`;
  return (
    has(rule.verbs, request.verb) &&
    has(rule.apiGroups, request.group) &&
    matchesResource(rule.resources, resource, request.subresource) &&
    matchesName(rule.resourceNames, request.name)
  );
}

type Words = readonly string[] | null | undefined;

function has(words: Words, word: string): boolean {
  return words?.some((candidate) => candidate === '*' || candidate === word) ?? false;
}

/** An asterisk before the slash stands for every resource: that subresource of all of them. */
function matchesResource(resources: Words, resource: string, subresource: string): boolean {
  return (
    resources?.some(
      (candidate) =>
        candidate === '*' || candidate === resource || (subresource !== '' && candidate === `*/${subresource}`),
    ) ?? false
  );
}

function matchesName(names: Words, name: string): boolean {
  return names === undefined || names === null || names.length === 0 || names.includes(name);
}

function matchesPath(urls: Words, path: string): boolean {
  return (
    urls?.some((url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))) ??
    false
  );
}

/**
 * The rules among `wanted` that `held` does not cover: what somebody would gain. Rules are broken into their smallest
 * parts, each of which must be covered by one rule held.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const verb of rule.verbs ?? []) {
    for (const url of rule.nonResourceURLs ?? []) parts.push({ verbs: [verb], nonResourceURLs: [url] });
    for (const group of rule.apiGroups ?? [])
      for (const resource of rule.resources ?? []) {
        if (!rule.resourceNames?.length) parts.push({ verbs: [verb], apiGroups: [group], resources: [resource] });
        for (const name of rule.resourceNames ?? [])
          parts.push({ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames: [name] });
      }
  }
  return parts;
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  const all = (have: Words, want: Words) => have?.includes('*') || (want ?? []).every((word) => have?.includes(word));
  if (part.nonResourceURLs?.length) {
    return (
      Boolean(all(held.verbs, part.verbs)) &&
      part.nonResourceURLs.every((url) => matchesPath(held.nonResourceURLs, url))
    );
  }
  const resource = part.resources?.[0] ?? '';
  const subresource = resource.split('/')[1] ?? '';
  const names =
    !held.resourceNames?.length ||
    (part.resourceNames?.length ? part.resourceNames.every((name) => held.resourceNames?.includes(name)) : false);
  return (
    Boolean(all(held.verbs, part.verbs)) &&
    Boolean(all(held.apiGroups, part.apiGroups)) &&
    matchesResource(held.resources, resource, subresource) &&
    names
  );
}

/** A rule as upstream prints it in refusals: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function formatRule(rule: PolicyRule): string {
  const field = (name: string, words: Words) =>
    words?.length ? [`${name}:[${words.map((word) => JSON.stringify(word)).join(' ')}]`] : [];
  return `{${[
    ...field('APIGroups', rule.apiGroups),
    ...field('Resources', rule.resources),
    ...field('ResourceNames', rule.resourceNames),
    ...field('NonResourceURLs', rule.nonResourceURLs),
    ...field('Verbs', rule.verbs),
  ].join(', ')}}`;
}

/** Joins parts that differ only in the verb, so that refusals stay short. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const byRest = new Map<string, { rule: PolicyRule; verbs: string[] }>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rest);
    const same = byRest.get(key);
    if (same) same.verbs.push(...(verbs ?? []));
    else byRest.set(key, { rule, verbs: [...(verbs ?? [])] });
  }
  return [...byRest.values()].map(({ rule, verbs }) => ({ ...rule, verbs }));
}
