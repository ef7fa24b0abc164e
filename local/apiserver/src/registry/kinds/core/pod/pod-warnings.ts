import { equalJson, FieldPath, type ObjectMeta, Quantity, quoteGo } from '@tektite/meta';
import type {
  Container,
  ContainerPort,
  EphemeralContainer,
  PodAffinity,
  PodSpec,
  PodTemplateSpec,
} from '@tektite/schema/kubernetes';
import { ipWarnings } from '../../network/validate-ip.ts';
import { claimSpecWarnings } from '../claim-warnings.ts';
import { deprecatedLabel, nodeSelectorTermWarnings } from '../node-labels.ts';
import { appArmorProfileOf } from './prepare-pod.ts';
import { visitContainers } from './visit-containers.ts';
import { overlappingPathWarnings } from './volume-path-warnings.ts';

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
const deprecatedAnnotations = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;
const deprecatedVolumes = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
] as const;
const removedVolumes = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

/** Advice about a workload's template. */
export function podTemplateWarnings(template: Partial<PodTemplateSpec> | undefined, path: FieldPath): string[] {
  if (!template) return [];
  return podWarnings(template.spec ?? { containers: null }, template.metadata ?? {}, path, true);
}

/** Advice about a Pod: things that are valid, and hardly what their author wants. */
export function podWarnings(
  spec: PodSpec,
  meta: ObjectMeta,
  path: FieldPath = FieldPath.root,
  isTemplate = false,
): string[] {
  const specPath = path.child('spec');
  const annotationsPath = path.child('metadata', 'annotations');
  const annotations = meta.annotations ?? {};
  const warnings = schedulingWarnings(spec, specPath);
  for (const [key, message] of deprecatedAnnotations)
    if (annotations[key] !== undefined) warnings.push(`${annotationsPath.key(key)}: ${message}`);
  warnings.push(...volumeWarnings(spec, specPath), ...listWarnings(spec, specPath));
  fractionalWarnings(spec.overhead, specPath.child('overhead'), warnings);
  if (!spec.securityContext?.seccompProfile && annotations[seccompPod] !== undefined)
    warnings.push(`${annotationsPath.key(seccompPod)}: ${seccompAdvice}`);
  visitContainers(spec, specPath, (container, at) => {
    if (!container.securityContext?.seccompProfile) {
      const key = `${seccompContainer}${container.name}`;
      if (annotations[key] !== undefined) warnings.push(`${annotationsPath.key(key)}: ${seccompAdvice}`);
    }
    if (isTemplate && !container.securityContext?.appArmorProfile) {
      const key = `${appArmorContainer}${container.name}`;
      const annotation = annotations[key];
      const ofPod = spec.securityContext?.appArmorProfile;
      if (annotation !== undefined && (!ofPod || !equalJson(ofPod, appArmorProfileOf(annotation))))
        warnings.push(`${annotationsPath.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
    containerWarnings(container, at, warnings);
  });
  warnings.push(...portWarnings(spec, specPath));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    warnings.push(
      `${specPath.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  warnings.push(...affinityWarnings(spec, specPath));
  for (const [i, server] of (spec.dnsConfig?.nameservers ?? []).entries())
    warnings.push(...ipWarnings(server, specPath.child('dnsConfig', 'nameservers').index(i)));
  for (const [i, alias] of (spec.hostAliases ?? []).entries())
    warnings.push(...ipWarnings(alias.ip, specPath.child('hostAliases').index(i).child('ip')));
  return warnings;
}

const seccompAdvice = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function schedulingWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const key in spec.nodeSelector) {
    const message = deprecatedLabel(key);
    if (message !== undefined) warnings.push(`${path.child('nodeSelector').key(key)}: ${message}`);
  }
  const node = spec.affinity?.nodeAffinity;
  const nodePath = path.child('affinity', 'nodeAffinity');
  const needed = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const [i, term] of (node?.[needed]?.nodeSelectorTerms ?? []).entries())
    warnings.push(...nodeSelectorTermWarnings(term, false, nodePath.child(needed, 'nodeSelectorTerms').index(i)));
  for (const [i, { preference }] of (node?.[preferred] ?? []).entries())
    warnings.push(
      ...nodeSelectorTermWarnings(preference, true, nodePath.child(preferred).index(i).child('preference')),
    );
  for (const [i, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = path.child('topologySpreadConstraints').index(i);
    const message = deprecatedLabel(constraint.topologyKey);
    if (message !== undefined) warnings.push(`${at.child('topologyKey')}: ${constraint.topologyKey} is ${message}`);
    if (!constraint.labelSelector) warnings.push(`${at.child('labelSelector')}: ${nullSelector}`);
  }
  return warnings;
}

const nullSelector = 'a null labelSelector results in matching no pod';

function volumeWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    const at = path.child('volumes').index(i);
    for (const [field, message] of deprecatedVolumes)
      if (volume[field]) warnings.push(`${at.child(field === 'storageos' ? 'storageOS' : field)}: ${message}`);
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template)
      warnings.push(...claimSpecWarnings(template.spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec')));
    for (const [field, message] of removedVolumes) if (volume[field]) warnings.push(`${at.child(field)}: ${message}`);
  }
  return [...warnings, ...overlappingPathWarnings(spec.volumes ?? [])];
}

function listWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  const ips = new Set<string>();
  for (const [i, { ip }] of (spec.hostAliases ?? []).entries()) {
    if (ips.has(ip)) warnings.push(`${path.child('hostAliases').index(i).child('ip')}: duplicate ip ${quoteGo(ip)}`);
    ips.add(ip);
  }
  const secrets = spec.imagePullSecrets ?? [];
  const names = new Set<string>();
  const nameAt = (i: number) => path.child('imagePullSecrets').index(i).child('name');
  for (const [i, { name = '' }] of secrets.entries()) {
    if (names.has(name)) warnings.push(`${nameAt(i)}: duplicate name ${quoteGo(name)}`);
    names.add(name);
  }
  for (const [i, { name = '' }] of secrets.entries())
    if (name === '') warnings.push(`${nameAt(i)}: invalid empty name ""`);
  return warnings;
}

function fractionalWarnings(
  list: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  warnings: string[],
  names: readonly string[] = ['memory', 'ephemeral-storage'],
): void {
  for (const name of names) {
    const text = list?.[name];
    if (text !== undefined && Quantity.parse(text).milliValue % 1000n !== 0n)
      warnings.push(`${path.key(name)}: fractional byte value ${quoteGo(text)} is invalid, must be an integer`);
  }
}

function containerWarnings(container: Container | EphemeralContainer, path: FieldPath, warnings: string[]): void {
  const { limits, requests } = container.resources ?? {};
  for (const name of ['memory', 'ephemeral-storage']) {
    fractionalWarnings(limits, path.child('resources', 'limits'), warnings, [name]);
    fractionalWarnings(requests, path.child('resources', 'requests'), warnings, [name]);
  }
  const names = new Set<string>();
  for (const [i, { name, value = '', valueFrom }] of (container.env ?? []).entries()) {
    const reference = `$(${name})`;
    if (names.has(name) && (valueFrom || value === reference || !value.includes(reference)))
      warnings.push(
        `${path.child('env').index(i)}: hides previous definition of ${quoteGo(name)}, which may be dropped when using apply`,
      );
    names.add(name);
  }
}

/** A port as Go prints its struct. */
function printPort({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function portWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  const byPort = new Map<string, { port: ContainerPort; at: FieldPath }[]>();
  visitContainers(spec, path, (container, containerPath) => {
    for (const [i, port] of (container.ports ?? []).entries()) {
      const at = containerPath.child('ports').index(i);
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${printPort(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byPort.get(key) ?? [];
      for (const other of others) {
        const relation = portRelation(port, other.port);
        if (relation !== undefined) warnings.push(`${at}: ${relation} port definition with ${other.at}`);
      }
      byPort.set(key, [...others, { port, at }]);
    }
  });
  const byName = new Map<string, FieldPath>();
  visitContainers(spec, path, (container, containerPath) => {
    for (const [i, { name }] of (container.ports ?? []).entries()) {
      if (!name) continue;
      const at = containerPath.child('ports').index(i);
      const other = byName.get(name);
      if (other)
        warnings.push(
          `${at}: duplicate port name ${quoteGo(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
      else byName.set(name, at);
    }
  });
  return warnings;
}

function portRelation(a: ContainerPort, b: ContainerPort): string | undefined {
  const { hostPort: port = 0, hostIP: ip = '' } = a;
  const { hostPort: otherPort = 0, hostIP: otherIp = '' } = b;
  if (ip === otherIp && port === otherPort) return 'duplicate';
  if (port === 0 || otherPort === 0) return 'overlapping';
  return port === otherPort && (ip === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined;
}

function affinityWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  const check = (affinity: PodAffinity | undefined, at: FieldPath) => {
    const needed = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    for (const [i, term] of (affinity?.[needed] ?? []).entries())
      if (!term.labelSelector) warnings.push(`${at.child(needed).index(i).child('labelSelector')}: ${nullSelector}`);
    for (const [i, { podAffinityTerm }] of (affinity?.[preferred] ?? []).entries())
      if (!podAffinityTerm.labelSelector)
        warnings.push(`${at.child(preferred).index(i).child('podAffinityTerm', 'labelSelector')}: ${nullSelector}`);
  };
  check(spec.affinity?.podAffinity, path.child('affinity', 'podAffinity'));
  check(spec.affinity?.podAntiAffinity, path.child('affinity', 'podAntiAffinity'));
  return warnings;
}
