import { forbiddenError, invalidObjectError, type KubeObject, quoteGo } from '@tektite/meta';
import type { Container, Namespace, Pod, PodSpec } from '@tektite/schema/kubernetes';
import { errorTarget } from '../../../registry/resource.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type AdmissionPlugin, type AdmissionRequest, isResource } from '../../admission.ts';
import { evaluatePod, formatDetails, formatReasons } from './evaluate-pod.ts';
import type { CheckedPod } from './pod-check.ts';
import {
  compareLevels,
  formatLevelVersion,
  type LevelVersion,
  readPolicy,
  sameLevelVersion,
  type SecurityPolicy,
} from './security-policy.ts';

/** Ways of using a Pod, rather than changing it. */
const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** Workloads that make Pods from a template, by `resource.group`. */
const templated = new Set([
  'podtemplates.',
  'replicationcontrollers.',
  'replicasets.apps',
  'deployments.apps',
  'daemonsets.apps',
  'statefulsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

/** The maximum of Pods that are checked when a namespace becomes stricter. */
const maxPods = 3000;

/**
 * Holds Pods to the Pod Security Standard that the labels of their namespace name. Workloads whose Pods would be refused
 * are let in with a warning: it is the Pods that must not run.
 */
export function podSecurity(storage: Storage): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    validate(request) {
      if (!request.object || (request.operation !== 'CREATE' && request.operation !== 'UPDATE')) return;
      if (isResource(request, '', 'namespaces')) checkNamespace(storage, request);
      else if (isResource(request, '', 'pods')) checkPod(storage, request);
      else if (templated.has(`${request.resource.plural}.${request.resource.group}`)) checkWorkload(storage, request);
    },
  };
}

function checkPod(storage: Storage, request: AdmissionRequest): void {
  if (ignoredSubresources.has(request.subresource)) return;
  const { policy, errors } = policyOf(storage, request.namespace);
  if (errors.length === 0 && policy.enforce.level === 'privileged' && isQuiet(policy)) {
    annotate(request, 'enforce-policy', formatLevelVersion(policy.enforce));
    return;
  }
  const pod = request.object as Pod;
  const old = request.oldObject as Pod | undefined;
  if (request.operation === 'UPDATE' && old && !isSignificant(pod, old)) return;
  const checked = { metadata: pod.metadata, spec: pod.spec as PodSpec };
  annotate(request, 'enforce-policy', formatLevelVersion(policy.enforce));
  audit(request, policy, checked);
  const violations = evaluatePod(policy.enforce, checked);
  if (violations.length > 0) {
    const standard = quoteGo(formatLevelVersion(policy.enforce));
    throw forbiddenError(
      errorTarget(request.resource),
      request.name,
      `violates PodSecurity ${standard}: ${formatDetails(violations)}`,
    );
  }
  warn(request, policy, checked);
}

function checkWorkload(storage: Storage, request: AdmissionRequest): void {
  if (request.subresource !== '') return;
  const { policy } = policyOf(storage, request.namespace);
  if (isQuiet(policy)) return;
  const template = templateOf(request.object as KubeObject);
  if (!template) return;
  audit(request, policy, template);
  warn(request, policy, template);
}

/** Nothing is to be warned of or audited. */
function isQuiet({ warn, audit }: SecurityPolicy): boolean {
  return warn.level === 'privileged' && audit.level === 'privileged';
}

function annotate(request: AdmissionRequest, key: string, value: string): void {
  request.annotate?.(`pod-security.kubernetes.io/${key}`, value);
}

function audit(request: AdmissionRequest, { audit: wanted }: SecurityPolicy, pod: CheckedPod): void {
  if (!request.annotate) return;
  const violations = evaluatePod(wanted, pod);
  if (violations.length === 0) return;
  const standard = quoteGo(formatLevelVersion(wanted));
  annotate(request, 'audit-violations', `would violate PodSecurity ${standard}: ${formatDetails(violations)}`);
}

function warn(request: AdmissionRequest, { warn: wanted }: SecurityPolicy, pod: CheckedPod): void {
  const violations = evaluatePod(wanted, pod);
  if (violations.length > 0)
    request.warn(`would violate PodSecurity ${quoteGo(formatLevelVersion(wanted))}: ${formatDetails(violations)}`);
}

function policyOf(storage: Storage, namespace: string): ReturnType<typeof readPolicy> {
  return readPolicy(storage.latest(`/registry/namespaces/${namespace}`)?.value.metadata.labels);
}

interface Template {
  readonly metadata?: KubeObject['metadata'];
  readonly spec?: PodSpec;
}

function templateOf(object: KubeObject): CheckedPod | undefined {
  const { template, spec } = object as {
    template?: Template;
    spec?: { template?: Template; jobTemplate?: { spec?: { template?: Template } } };
  };
  const found = template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
  return found?.spec && { metadata: found.metadata ?? {}, spec: found.spec };
}

/** Most of a Pod cannot change; what matters is which images it runs. */
function isSignificant({ spec }: Pod, { spec: old }: Pod): boolean {
  if (!spec || !old) return true;
  const changed = (now: readonly Container[] = [], before: readonly Container[] = []) =>
    now.length !== before.length || now.some(({ image }, index) => image !== before[index]?.image);
  if (changed(spec.containers ?? [], old.containers ?? []) || changed(spec.initContainers, old.initContainers))
    return true;
  return (spec.ephemeralContainers ?? []).some(
    ({ name, image }) => old.ephemeralContainers?.find((other) => other.name === name)?.image !== image,
  );
}

function checkNamespace(storage: Storage, request: AdmissionRequest): void {
  if (request.subresource !== '') return;
  const namespace = request.object as Namespace;
  const { policy, errors } = readPolicy(namespace.metadata.labels);
  const before = request.oldObject && readPolicy(request.oldObject.metadata.labels);
  const isNew = !before || JSON.stringify(before.errors) !== JSON.stringify(errors);
  if (errors.length > 0 && isNew) throw invalidObjectError('', 'Namespace', request.name, errors);
  if (before && isStricter(policy.enforce, before.policy.enforce))
    for (const text of reviewPods(storage, request.name, policy.enforce)) request.warn(text);
}

function isStricter(now: LevelVersion, before: LevelVersion): boolean {
  if (sameLevelVersion(now, before) || now.level === 'privileged') return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

/** Running Pods stay; a warning lists those that violate the stricter level. */
function reviewPods(storage: Storage, namespace: string, enforce: LevelVersion): string[] {
  const all = prioritize(storage.list(`/registry/pods/${namespace}/`).entries.map(({ value }) => value as Pod));
  const checked = all.slice(0, maxPods);
  const byReason = new Map<string, string[]>();
  for (const pod of checked) {
    const violations = evaluatePod(enforce, { metadata: pod.metadata, spec: pod.spec as PodSpec });
    if (violations.length === 0) continue;
    const reason = formatReasons(violations);
    byReason.set(reason, [...(byReason.get(reason) ?? []), pod.metadata.name ?? '']);
  }
  const warnings: string[] = [];
  if (checked.length < all.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${all.length} existing pods`,
    );
  if (byReason.size > 0)
    warnings.push(
      `existing pods in namespace ${quoteGo(namespace)} violate the new PodSecurity enforce level ${quoteGo(formatLevelVersion(enforce))}`,
    );
  return [...warnings, ...[...byReason].map(([reason, names]) => `${nameSome(names)}: ${reason}`).sort()];
}

/** One Pod of each workload first: the others are like it. */
function prioritize(pods: readonly Pod[]): Pod[] {
  const seen = new Set<string>();
  const later: Pod[] = [];
  const first = pods.filter((pod) => {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (owner === undefined || !seen.has(owner)) {
      if (owner !== undefined) seen.add(owner);
      return true;
    }
    later.push(pod);
    return false;
  });
  return [...first, ...later];
}

function nameSome(names: readonly string[]): string {
  const [first = '', ...others] = [...names].sort();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}
