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

/** A few words say any number of parts; with more than so many, rules have to be held as they are. */
const maxParts = 20_000;

/**
 * The rules among `wanted` that `held` does not cover: the privileges that would be gained. Rules are broken into their
 * smallest parts, each of which must be covered by one held rule.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const own = held.map(asHeld);
  const lacking: PolicyRule[] = [];
  let parts = 0;
  for (const rule of wanted.map(withoutRepetition)) {
    parts += countParts(rule);
    for (const part of parts > maxParts ? wholeRules(rule) : breakDown(rule))
      if (!own.some((one) => covers(one, part))) lacking.push(part);
  }
  return lacking;
}

function withoutRepetition(rule: PolicyRule): PolicyRule {
  const once = (words: Words) => [...new Set(words)];
  return {
    verbs: once(rule.verbs),
    apiGroups: once(rule.apiGroups),
    resources: once(rule.resources),
    resourceNames: once(rule.resourceNames),
    nonResourceURLs: once(rule.nonResourceURLs),
  };
}

function countParts({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const count = (words: Words) => words?.length ?? 0;
  const named = count(apiGroups) * count(resources) * Math.max(1, count(resourceNames));
  return count(verbs) * (named + count(nonResourceURLs));
}

/** Splits a rule into its resource part and its path part. */
function wholeRules({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): PolicyRule[] {
  const names = resourceNames?.length ? { resourceNames } : {};
  return [
    ...(nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : []),
    ...(apiGroups?.length && resources?.length ? [{ verbs, apiGroups, resources, ...names }] : []),
  ];
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

/** A held rule, compiled for many checks. */
interface HeldRule {
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly resourceNames: ReadonlySet<string>;
  readonly nonResourceURLs: Words;
}

function asHeld({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): HeldRule {
  return {
    verbs: new Set(verbs),
    apiGroups: new Set(apiGroups),
    resources: new Set(resources),
    resourceNames: new Set(resourceNames),
    nonResourceURLs,
  };
}

function covers(held: HeldRule, part: PolicyRule): boolean {
  const all = (have: ReadonlySet<string>, want: Words) => have.has('*') || (want ?? []).every((word) => have.has(word));
  if (!all(held.verbs, part.verbs)) return false;
  if (part.nonResourceURLs?.length) return part.nonResourceURLs.every((url) => matchesPath(held.nonResourceURLs, url));
  const names =
    held.resourceNames.size === 0 ||
    (part.resourceNames?.length ? part.resourceNames.every((name) => held.resourceNames.has(name)) : false);
  return names && all(held.apiGroups, part.apiGroups) && (part.resources ?? []).every((one) => hasResource(held, one));
}

function hasResource({ resources }: HeldRule, resource: string): boolean {
  const [, subresource = ''] = resource.split('/');
  return resources.has('*') || resources.has(resource) || (subresource !== '' && resources.has(`*/${subresource}`));
}

/** A rule as upstream prints it in errors: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
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

/** Joins parts that differ only in the verb, so that errors stay short. */
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
