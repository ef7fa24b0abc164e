import { type KubeObject, labelSelectorOf, type LabelSelector, notFoundError, type Selector } from '@tektite/meta';
import type { NamedRuleWithOperations } from '@tektite/schema/kubernetes';
import type { Draft, Resource } from '../../registry/resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionRequest, isResource } from '../admission.ts';
import type { EquivalentResources } from './equivalent-resources.ts';
import { ruleMatches } from './rule-match.ts';

/** The match criteria of a webhook or a policy. */
export interface MatchCriteria {
  /** Webhooks have no rules for single names; policies do. */
  readonly rules: readonly NamedRuleWithOperations[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
}

/** The selector of a stored, hence defaulted, configuration. */
export function compileSelector(selector: LabelSelector | undefined): Selector {
  return labelSelectorOf(selector ?? {});
}

/** Decides which requests a webhook or a policy sees, and in which version. */
export class RequestMatcher {
  private readonly storage: Storage;
  private readonly equivalents: EquivalentResources;

  constructor(storage: Storage, equivalents: EquivalentResources) {
    this.storage = storage;
    this.equivalents = equivalents;
  }

  /**
   * The resource in the version in which the request is of interest; `undefined` when it is of none. Throws NotFound when
   * the request would match but its namespace, whose labels count, does not exist.
   */
  match(criteria: MatchCriteria, request: AdmissionRequest): Resource | undefined {
    const { objectSelector } = criteria;
    if (!objectSelector.isEmpty && !selectsObject(objectSelector, request)) return undefined;
    const resource = this.matchRules(criteria.rules, criteria.matchPolicy, request);
    return resource && this.selectsNamespace(criteria.namespaceSelector, request) ? resource : undefined;
  }

  /** Cached matches by rules are valid as long as this does not grow. */
  get version(): number {
    return this.equivalents.version;
  }

  /** The first form of the resource that a rule covers: as requested or, where the policy allows, in another version. */
  matchRules(
    rules: readonly NamedRuleWithOperations[],
    matchPolicy: 'Exact' | 'Equivalent',
    request: AdmissionRequest,
  ): Resource | undefined {
    const covers = (rule: NamedRuleWithOperations, resource: Resource) =>
      isNamed(rule, request.name) &&
      ruleMatches(rule, {
        operation: request.operation,
        group: resource.group,
        version: resource.version,
        plural: resource.plural,
        subresource: request.subresource,
        namespace: request.namespace,
      });
    if (rules.some((rule) => covers(rule, request.resource))) return request.resource;
    if (matchPolicy !== 'Equivalent') return undefined;
    const others = this.equivalents.of(request.resource, request.subresource);
    if (others.length === 0) return undefined;
    for (const rule of rules) {
      const found = others.find((resource) => covers(rule, resource));
      if (found) return found;
    }
    return undefined;
  }

  /** Whether the namespace of the request has the labels. What is in no namespace is never left out. */
  selectsNamespace(selector: Selector, request: AdmissionRequest): boolean {
    if (selector.isEmpty) return true;
    const isNamespace = isResource(request, '', 'namespaces');
    if (request.namespace === '' && !isNamespace) return true;
    return selector.matches(this.namespaceLabels(request, isNamespace));
  }

  /** The namespace of a request as it is stored; `undefined` for what is in none. */
  namespaceOf({ namespace, resource }: AdmissionRequest): KubeObject | undefined {
    if (namespace === '' || (resource.group === '' && resource.kind === 'Namespace')) return undefined;
    return this.readNamespace(namespace);
  }

  private namespaceLabels(
    request: AdmissionRequest,
    isNamespace: boolean,
  ): Readonly<Record<string, string>> | undefined {
    if (isNamespace && request.subresource === '' && request.object) return request.object.metadata.labels;
    return this.readNamespace(request.namespace).metadata.labels;
  }

  private readNamespace(name: string): KubeObject {
    const entry = this.storage.latest(`/registry/namespaces/${name}`);
    if (!entry) throw notFoundError({ group: '', resource: 'namespaces' }, name);
    return entry.value;
  }
}

/** A rule without names is for all. */
function isNamed({ resourceNames = [] }: NamedRuleWithOperations, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** Either state of the object counts, so that removing a label is no escape. Objects without metadata are never selected. */
export function selectsObject(selector: Selector, { object, oldObject }: AdmissionRequest): boolean {
  const metadata = object?.metadata as Draft['metadata'] | undefined;
  return (
    (metadata !== undefined && selector.matches(metadata.labels)) ||
    (oldObject !== undefined && selector.matches(oldObject.metadata.labels))
  );
}
