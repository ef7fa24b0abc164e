import { duplicate, type FieldError, type FieldPath, forbidden, invalid, notFound, required } from '@tektite/meta';
import type { Container, EphemeralContainer, PodSpec } from '@tektite/schema/kubernetes';
import { checkDnsLabel, checkRequiredSupported } from '../../field-checks.ts';
import { isSidecar } from './aggregate-resources.ts';
import { checkHostPortConflicts, validateContainerPorts } from './container-ports.ts';
import { validateEnv, validateEnvFrom } from './environment.ts';
import { validateLifecycle, validateProbes } from './probes.ts';
import { validateContainerResources } from './resources.ts';
import {
  validateContainerRestartPolicy,
  validateInitContainerRestartPolicy,
  validateResizePolicies,
} from './restart-policy.ts';
import { validateSecurityContext } from './security-context.ts';
import { validateVolumeDevices, validateVolumeMounts, type VolumesByName } from './volume-mounts.ts';

/** The shared rules of a Pod's containers. */
export interface ContainerRules {
  readonly spec: PodSpec;
  readonly volumes: VolumesByName;
  readonly claimNames: readonly string[];
}

export function validateContainers(rules: ContainerRules, path: FieldPath, errors: FieldError[]): void {
  const containers = rules.spec.containers ?? [];
  if (containers.length === 0) errors.push(required(path));
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const at = path.index(i);
    validateContainer(container, rules, at, errors);
    checkUniqueName(container.name ?? '', names, at, errors);
    if (container.lifecycle) validateLifecycle(container.lifecycle, rules.spec, at.child('lifecycle'), errors);
    validateProbes(container, at, errors);
    validateContainerRestartPolicy(container, at, errors);
  }
  checkHostPortConflicts(containers, path, errors);
}

function checkUniqueName(name: string, names: Set<string>, path: FieldPath, errors: FieldError[]): void {
  if (names.has(name)) errors.push(duplicate(path.child('name'), name));
  names.add(name);
}

/** Init containers run to their end one after the other, unless they restart always: then they are sidecars. */
export function validateInitContainers(rules: ContainerRules, path: FieldPath, errors: FieldError[]): void {
  const names = new Set((rules.spec.containers ?? []).map(({ name }) => name));
  for (const [i, container] of (rules.spec.initContainers ?? []).entries()) {
    const at = path.index(i);
    validateContainer(container, rules, at, errors);
    validateInitContainerRestartPolicy(container, at, errors);
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    else if (container.name) names.add(container.name);
    checkHostPortConflicts([container], path, errors);
    if (isSidecar(container)) {
      if (container.lifecycle) validateLifecycle(container.lifecycle, rules.spec, at.child('lifecycle'), errors);
      validateProbes(container, at, errors);
    } else validatePlainInitContainer(container, at, errors);
  }
}

function validatePlainInitContainer(container: Container, path: FieldPath, errors: FieldError[]): void {
  for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    if (container[field])
      errors.push(forbidden(path.child(field), 'may not be set for init containers without restartPolicy=Always'));
  for (const [i, { restartPolicy }] of (container.resizePolicy ?? []).entries())
    if (restartPolicy === 'RestartContainer') {
      const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      errors.push(invalid(path.child('resizePolicy').index(i).child('restartPolicy'), restartPolicy, detail));
    }
}

const notForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const ephemeralDetail = 'cannot be set for an Ephemeral Container';

export function validateEphemeralContainers(rules: ContainerRules, path: FieldPath, errors: FieldError[]): void {
  const others = [...(rules.spec.containers ?? []), ...(rules.spec.initContainers ?? [])].map(({ name }) => name);
  const names = new Set(others);
  for (const [i, container] of (rules.spec.ephemeralContainers ?? []).entries()) {
    const at = path.index(i);
    validateContainer(container, rules, at, errors);
    checkImage(container, at, errors);
    checkUniqueName(container.name, names, at, errors);
    const target = container.targetContainerName;
    if (target && !others.includes(target)) errors.push(notFound(at.child('targetContainerName'), target));
    for (const field of notForEphemeral) {
      const value: unknown = container[field];
      if (value === undefined || (field === 'resources' && Object.keys(value as object).length === 0)) continue;
      errors.push(forbidden(at.child(field), ephemeralDetail));
    }
    for (const [j, mount] of (container.volumeMounts ?? []).entries())
      for (const field of ['subPath', 'subPathExpr'] as const)
        if (mount[field]) errors.push(forbidden(at.child('volumeMounts').index(j).child(field), ephemeralDetail));
  }
}

/** Pods, but not templates, must name their image without blanks around it. */
export function checkImage(container: Container | EphemeralContainer, path: FieldPath, errors: FieldError[]): void {
  const { image = '' } = container;
  if (image.trim().length !== image.length)
    errors.push(invalid(path.child('image'), image, 'must not have leading or trailing whitespace'));
}

function validateContainer(
  container: Container | EphemeralContainer,
  { spec, volumes, claimNames }: ContainerRules,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!container.name) errors.push(required(path.child('name')));
  else checkDnsLabel(container.name, path.child('name'), errors);
  if (!container.image) errors.push(required(path.child('image')));
  checkRequiredSupported(
    container.terminationMessagePolicy,
    ['File', 'FallbackToLogsOnError'],
    path.child('terminationMessagePolicy'),
    errors,
  );
  validateContainerPorts(container.ports ?? [], path.child('ports'), errors);
  validateEnv(container.env ?? [], path.child('env'), errors);
  validateEnvFrom(container.envFrom ?? [], path.child('envFrom'), errors);
  validateVolumeMounts(container, volumes, path.child('volumeMounts'), errors);
  validateVolumeDevices(container, volumes, path.child('volumeDevices'), errors);
  checkRequiredSupported(
    container.imagePullPolicy,
    ['Always', 'IfNotPresent', 'Never'],
    path.child('imagePullPolicy'),
    errors,
  );
  validateContainerResources(container.resources ?? {}, claimNames, path.child('resources'), errors);
  validateResizePolicies(container.resizePolicy ?? [], spec.restartPolicy, path.child('resizePolicy'), errors);
  validateSecurityContext(container.securityContext, spec.hostUsers !== false, path.child('securityContext'), errors);
}
