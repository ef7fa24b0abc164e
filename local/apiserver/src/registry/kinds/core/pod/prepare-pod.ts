import { equalJson, type FieldError, FieldPath, formatTime, type Mutable } from '@tektite/meta';
import type {
  AppArmorProfile,
  LabelSelector,
  Pod,
  PodAffinity,
  PodSpec,
  PodTemplateSpec,
} from '@tektite/schema/kubernetes';
import { qosClass } from './qos-class.ts';
import { validateAppArmorProfile } from './security-profiles.ts';

const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
const initContainerAnnotations = ['pod.beta', 'pod.alpha'].flatMap((prefix) =>
  ['init-containers', 'init-container-statuses'].map((name) => `${prefix}.kubernetes.io/${name}`),
);

/** A new Pod is pending, whatever its author says; its class of service is what the author says, if anything. */
export function preparePod(pod: Mutable<Pod>, now: number): void {
  pod.spec ??= { containers: null };
  const spec = pod.spec;
  pod.status = { phase: 'Pending', qosClass: pod.status?.qosClass || qosClass(spec as PodSpec) };
  dropDisabledFields(spec);
  dropAnnotations(pod.metadata.annotations);
  if (spec.schedulingGates?.length)
    pod.status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastTransitionTime: formatTime(now),
      },
    ];
  const labels = pod.metadata.labels ?? {};
  for (const affinity of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity])
    if (affinity) applyKeysOfAffinity(affinity, labels);
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? [])
    if (labelSelector) applyKeys(labelSelector, matchLabelKeys, 'In', labels);
  if (spec.os?.name !== 'windows') applyAppArmorAnnotations(pod, spec);
}

/** Fields whose feature is off in a server with default settings are forgotten. */
export function dropDisabledFields(spec: Mutable<PodSpec>, old?: PodSpec): void {
  if (!old?.schedulingGroup) delete spec.schedulingGroup;
  for (const volume of spec.volumes ?? [])
    for (const source of volume.projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  for (const list of [spec.containers, spec.initContainers, spec.ephemeralContainers])
    for (const container of list ?? []) {
      if (container.lifecycle?.stopSignal === undefined) continue;
      delete container.lifecycle.stopSignal;
      if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
    }
}

/** The same for a template, which also loses annotations that Kubernetes once used for init containers. */
export function prepareTemplate(template: Mutable<PodTemplateSpec> | undefined, old?: PodTemplateSpec): void {
  if (!template) return;
  if (template.spec) dropDisabledFields(template.spec, old?.spec);
  dropAnnotations(template.metadata?.annotations);
}

function dropAnnotations(annotations: Record<string, string> | undefined): void {
  for (const name of initContainerAnnotations) delete annotations?.[name];
}

function applyKeysOfAffinity(affinity: Mutable<PodAffinity>, labels: Readonly<Record<string, string>>): void {
  const weighted = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [
    ...weighted.map(({ podAffinityTerm }) => podAffinityTerm),
    ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ];
  for (const term of terms) {
    if (!term?.labelSelector) continue;
    applyKeys(term.labelSelector, term.matchLabelKeys, 'In', labels);
    applyKeys(term.labelSelector, term.mismatchLabelKeys, 'NotIn', labels);
  }
}

/** `matchLabelKeys` stands for the values that the Pod itself has. */
function applyKeys(
  selector: Mutable<LabelSelector>,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Readonly<Record<string, string>>,
): void {
  for (const key of keys ?? []) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions ??= [];
    selector.matchExpressions.push({ key, operator, values: [value] });
  }
}

/** Annotations that confine containers become fields. */
function applyAppArmorAnnotations(pod: Mutable<Pod>, spec: Mutable<PodSpec>): void {
  for (const list of [spec.containers, spec.initContainers, spec.ephemeralContainers])
    for (const container of list ?? []) {
      const annotation = pod.metadata.annotations?.[`${appArmorContainer}${container.name}`];
      if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
      const profile = appArmorProfileOf(annotation);
      if (!profile || equalJson(profile, spec.securityContext?.appArmorProfile)) continue;
      container.securityContext ??= {};
      container.securityContext.appArmorProfile = profile;
    }
}

/** The profile that an annotation of old stands for. */
export function appArmorProfileOf(annotation: string): Mutable<AppArmorProfile> | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith('localhost/')) return undefined;
  const profile = { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) };
  const errors: FieldError[] = [];
  validateAppArmorProfile(profile, FieldPath.root, errors);
  return errors.length === 0 ? profile : undefined;
}
