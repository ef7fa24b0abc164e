import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateUserId,
  notSupported,
  required,
} from '@tektite/meta';
import type { PodSecurityContext, PodSpec, SecurityContext } from '@tektite/schema/kubernetes';
import { checkSupported } from '../../field-checks.ts';
import { goValue } from '../../go-value/go-value.ts';
import { validateAppArmorProfile, validateSeccompProfile } from './security-profiles.ts';
import { visitContainers } from './visit-containers.ts';
import { validateWindowsOptions } from './windows-options.ts';

function checkId(id: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (id === undefined) return;
  for (const violation of validateUserId(id)) errors.push(invalid(path, id, violation));
}

/** The security context of one container. `hostUsers`: whether the Pod shares the user namespace of its host. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!context) return;
  checkId(context.runAsUser, path.child('runAsUser'), errors);
  checkId(context.runAsGroup, path.child('runAsGroup'), errors);
  const { procMount } = context;
  if (procMount !== undefined) {
    checkSupported(procMount, ['Default', 'Unmasked'], path.child('procMount'), errors);
    if (hostUsers && procMount === 'Unmasked')
      errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) {
    const printed = goValue('SecurityContext', context);
    if (context.privileged)
      errors.push(invalid(path, printed, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    for (const capability of context.capabilities?.add ?? [])
      if (capability === 'CAP_SYS_ADMIN') {
        const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
        errors.push(invalid(path, printed, detail));
      }
  }
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
}

/** The security context of the Pod. */
export function validatePodSecurityContext(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const context = spec.securityContext ?? {};
  checkId(context.fsGroup, path.child('fsGroup'), errors);
  checkId(context.runAsUser, path.child('runAsUser'), errors);
  checkId(context.runAsGroup, path.child('runAsGroup'), errors);
  for (const [i, group] of (context.supplementalGroups ?? []).entries())
    checkId(group, path.child('supplementalGroups').index(i), errors);
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), true, detail));
  }
  validateSysctls(spec, context, path.child('sysctls'), errors);
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  if (fsGroupChangePolicy !== undefined)
    checkSupported(fsGroupChangePolicy, ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy'), errors);
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
  if (supplementalGroupsPolicy !== undefined)
    checkSupported(supplementalGroupsPolicy, ['Merge', 'Strict'], path.child('supplementalGroupsPolicy'), errors);
  if (seLinuxChangePolicy !== undefined)
    checkSupported(seLinuxChangePolicy, ['MountOption', 'Recursive'], path.child('seLinuxChangePolicy'), errors);
}

const sysctlPattern = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlSegment = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

const isSysctlName = (name: string): boolean =>
  name.length <= 253 && name.split(/[./]/).every((segment) => sysctlSegment.test(segment));

function validateSysctls(spec: PodSpec, context: PodSecurityContext, path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, { name = '' }] of (context.sysctls ?? []).entries()) {
    const namePath = path.index(i).child('name');
    if (name === '') errors.push(required(namePath));
    else if (!isSysctlName(name))
      errors.push(invalid(namePath, name, `must have at most 253 characters and match regex ${sysctlPattern}`));
    else if (names.has(name)) errors.push(duplicate(namePath, name));
    const namespace = sysctlNamespace(name);
    if (spec.hostNetwork && namespace === 'net')
      errors.push(invalid(namePath, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec.hostIPC && namespace === 'ipc')
      errors.push(invalid(namePath, name, "may not be specified when 'hostIPC' is true"));
    names.add(name);
  }
}

const ipcSysctls = new Set(
  ['sem', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced', 'shm', 'msgmax', 'msgmnb', 'msgmni', 'msg'].map(
    (name) => `kernel.${name}`,
  ),
);

/** Which namespace of the kernel a setting belongs to. */
function sysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const separator = name.search(/[./]/);
  const dotted =
    separator >= 0 && name[separator] === '/' ? name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/')) : name;
  if (dotted.startsWith('net.')) return 'net';
  return ipcSysctls.has(dotted) || dotted.startsWith('fs.mqueue.') ? 'ipc' : undefined;
}

/** Validates that a Pod with a user namespace shares nothing with its host. */
export function validateHostUsers(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.hostUsers !== false) return;
  const detail = 'when `hostUsers` is false';
  if (spec.hostNetwork) errors.push(forbidden(path.child('hostNetwork'), detail));
  if (spec.hostPID) errors.push(forbidden(path.child('HostPID'), detail));
  if (spec.hostIPC) errors.push(forbidden(path.child('HostIPC'), detail));
  visitContainers(spec, path, (container, containerPath) => {
    if (container.volumeDevices?.length) errors.push(forbidden(containerPath.child('volumeDevices'), detail));
  });
}

const linuxOnlyOfPod: readonly (readonly [keyof PodSecurityContext | keyof PodSpec, boolean])[] = [
  ['appArmorProfile', true],
  ['seLinuxOptions', true],
  ['hostUsers', false],
  ['hostPID', false],
  ['hostIPC', false],
  ['seccompProfile', true],
  ['fsGroup', true],
  ['fsGroupChangePolicy', true],
  ['sysctls', true],
  ['shareProcessNamespace', false],
  ['runAsUser', true],
  ['runAsGroup', true],
  ['supplementalGroups', true],
  ['supplementalGroupsPolicy', true],
  ['seLinuxChangePolicy', true],
];
const linuxOnlyOfContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** A Pod that names its operating system may not set what only another one has. */
export function validateOs(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const name = spec.os?.name;
  if (spec.os === undefined) return;
  if (!name) errors.push(required(path.child('os', 'name')));
  else if (name === 'linux') validateLinux(spec, path, errors);
  else if (name === 'windows') validateWindows(spec, path, errors);
  else errors.push(notSupported(path.child('os'), name, ['linux', 'windows']));
}

function validateLinux(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const detail = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions)
    errors.push(forbidden(path.child('securityContext', 'windowsOptions'), detail));
  visitContainers(spec, path, (container, containerPath) => {
    if (container.securityContext?.windowsOptions)
      errors.push(forbidden(containerPath.child('securityContext', 'windowsOptions'), detail));
  });
}

function validateWindows(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const detail = 'cannot be set for a windows pod';
  const all = { ...spec, ...spec.securityContext };
  for (const [field, inContext] of linuxOnlyOfPod) {
    const value = all[field as keyof typeof all];
    if (value === undefined || ((field === 'hostPID' || field === 'hostIPC') && value === false)) continue;
    errors.push(forbidden((inContext ? path.child('securityContext') : path).child(field), detail));
  }
  visitContainers(spec, path, (container, containerPath) => {
    for (const field of linuxOnlyOfContainer)
      if (container.securityContext?.[field] !== undefined)
        errors.push(forbidden(containerPath.child('securityContext', field), detail));
  });
}
