import { type FieldError, type FieldPath, forbidden, invalid, notFound, required } from '@tektite/meta';
import type { Container, Volume, VolumeMount } from '@tektite/schema/kubernetes';
import { checkSupported } from '../../field-checks.ts';
import { checkDescendingPath } from '../paths.ts';

/** The valid volumes of a Pod, by name. */
export type VolumesByName = ReadonlyMap<string, Volume>;

export function validateVolumeMounts(
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
  errors: FieldError[],
): void {
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const mountPaths = new Set<string>();
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const mountPath = path.index(i);
    const { name = '', mountPath: target = '' } = mount;
    if (name === '') errors.push(required(mountPath.child('name')));
    if (!volumes.has(name)) errors.push(notFound(mountPath.child('name'), name));
    if (target === '') errors.push(required(mountPath.child('mountPath')));
    if (mountPaths.has(target)) errors.push(invalid(mountPath.child('mountPath'), target, 'must be unique'));
    mountPaths.add(target);
    if (devices.has(name))
      errors.push(invalid(mountPath.child('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(target))
      errors.push(invalid(mountPath.child('mountPath'), target, 'must not already exist as a path in volumeDevices'));
    validateSubPaths(mount, path, mountPath, errors);
    validatePropagation(mount, container, path.child('mountPropagation'), errors);
    validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors);
  }
}

/** Upstream leaves the index out of the path of a sub path that is no descending path. */
function validateSubPaths(mount: VolumeMount, path: FieldPath, mountPath: FieldPath, errors: FieldError[]): void {
  if (mount.subPath) checkDescendingPath(mount.subPath, path.child('subPath'), errors);
  if (!mount.subPathExpr) return;
  if (mount.subPath) {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    errors.push(invalid(mountPath.child('subPathExpr'), mount.subPathExpr, detail));
  }
  checkDescendingPath(mount.subPathExpr, path.child('subPathExpr'), errors);
}

function validatePropagation(
  { mountPropagation }: VolumeMount,
  container: Container,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (mountPropagation === undefined) return;
  checkSupported(mountPropagation, ['Bidirectional', 'HostToContainer', 'None'], path, errors);
  if (mountPropagation === 'Bidirectional' && !container.securityContext?.privileged)
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath, errors: FieldError[]): void {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return;
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    checkSupported(mode, ['Disabled', 'Enabled', 'IfPossible'], path, errors);
    return;
  }
  if (!mount.readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
}

export function validateVolumeDevices(
  container: Container,
  volumes: VolumesByName,
  path: FieldPath,
  errors: FieldError[],
): void {
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name = '', devicePath = '' }] of (container.volumeDevices ?? []).entries()) {
    const namePath = path.index(i).child('name');
    const pathPath = path.index(i).child('devicePath');
    const volume = volumes.get(name);
    if (name === '') errors.push(required(namePath));
    if (names.has(name)) errors.push(invalid(namePath, name, 'must be unique'));
    if (!volume) errors.push(notFound(namePath, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(namePath, name, detail));
    }
    if (devicePath === '') errors.push(required(pathPath));
    if (paths.has(devicePath)) errors.push(invalid(pathPath, devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..'))
      errors.push(invalid(pathPath, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalid(namePath, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath))
      errors.push(invalid(pathPath, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name !== '') names.add(name);
  }
}
