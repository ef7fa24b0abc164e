import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type { PersistentVolumeSpec } from '@tektite/schema/kubernetes';
import { checkSupported, checkText } from '../field-checks.ts';
import { validateAccessModes, volumeModes } from './claim-spec.ts';
import { validateNodeSelector } from './node-selector.ts';
import { checkNoBacksteps } from './paths.ts';
import { validateBasicQuantity } from './volume-formats.ts';
import {
  checkFields,
  checkSecretRef,
  validateAwsDisk,
  validateAzureDisk,
  validateCsiDriverName,
  validateCsiSecretRef,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateGceDisk,
  validateGlusterfs,
  validateHostPath,
  validateIscsi,
  validateIscsiInitiator,
  validateNfs,
  validateQuobyte,
  validateStorageOs,
} from './volume-sources.ts';

const className = (name: string) => nameIsDnsSubdomain(name, false);
const inlineOnly = 'may not be specified in the context of inline volumes';

/** A volume, or the inline volume of a VolumeAttachment. */
export function validateVolumeSpec(
  spec: PersistentVolumeSpec,
  name: string,
  inline: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (inline) {
    if (spec.claimRef) errors.push(forbidden(path.child('claimRef'), inlineOnly));
    if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbidden(path.child('capacity'), inlineOnly));
    if (!spec.csi) errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  }
  const { accessModes = [], persistentVolumeReclaimPolicy: policy } = spec;
  if (accessModes.length === 0) errors.push(required(path.child('accessModes')));
  validateAccessModes(accessModes, path.child('accessModes'), errors);
  if (!inline) validateCapacity(spec, path.child('capacity'), errors);
  if (policy) validateReclaimPolicy(policy, inline, path.child('persistentVolumeReclaimPolicy'), errors);
  validateNodeAffinity(spec, inline, path.child('nodeAffinity'), errors);
  validateSource(spec, name, path, errors);
  if (spec.hostPath && isRoot(spec.hostPath.path) && policy === 'Recycle')
    errors.push(
      forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  validateClasses(spec, inline, path, errors);
}

const isRoot = (path: string | undefined): boolean => /^\/[/.]*$/.test(path ?? '') && !path?.includes('...');

function validateCapacity(spec: PersistentVolumeSpec, path: FieldPath, errors: FieldError[]): void {
  const capacity = spec.capacity ?? {};
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required(path));
  if (!Object.hasOwn(capacity, 'storage') || names.length > 1)
    errors.push(notSupported(path, spec.capacity ?? null, ['storage']));
  for (const name of names) {
    const quantity = capacity[name] as string;
    validateBasicQuantity(quantity, path.key(name), errors);
    if (Quantity.parse(quantity).sign <= 0) errors.push(invalid(path.key(name), quantity, 'must be greater than zero'));
  }
}

function validateReclaimPolicy(policy: string, inline: boolean, path: FieldPath, errors: FieldError[]): void {
  if (!inline) checkSupported(policy, ['Delete', 'Recycle', 'Retain'], path, errors);
  else if (policy !== 'Retain') errors.push(forbidden(path, 'may only be Retain in the context of inline volumes'));
}

function validateNodeAffinity(
  { nodeAffinity }: PersistentVolumeSpec,
  inline: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!nodeAffinity) return;
  if (inline) errors.push(forbidden(path, inlineOnly));
  else if (nodeAffinity.required) validateNodeSelector(nodeAffinity.required, true, path.child('required'), errors);
  else errors.push(required(path.child('required'), 'must specify required node constraints'));
}

type Check = (path: FieldPath, errors: FieldError[]) => void;

/** The sources in upstream's order, with the names it uses in violations about a second source and in others. */
function sourceChecks(spec: PersistentVolumeSpec, name: string): [string, string, object | undefined, Check][] {
  const { rbd, cephfs, cinder, azureFile, vsphereVolume, photonPersistentDisk, portworxVolume, scaleIO } = spec;
  const fields =
    <T extends object>(source: T | undefined, ...names: (keyof T & string)[]): Check =>
    (path, errors) =>
      source && checkFields(source, names, path, errors);
  const check =
    <T>(source: T | undefined, rule: (source: T, path: FieldPath, errors: FieldError[]) => void): Check =>
    (path, errors) =>
      source && rule(source, path, errors);
  return [
    ['hostPath', 'hostPath', spec.hostPath, check(spec.hostPath, validateHostPath)],
    ['gcePersistentDisk', 'persistentDisk', spec.gcePersistentDisk, check(spec.gcePersistentDisk, validateGceDisk)],
    [
      'awsElasticBlockStore',
      'awsElasticBlockStore',
      spec.awsElasticBlockStore,
      check(spec.awsElasticBlockStore, validateAwsDisk),
    ],
    ['glusterfs', 'glusterfs', spec.glusterfs, check(spec.glusterfs, validateGlusterfs)],
    ['flocker', 'flocker', spec.flocker, check(spec.flocker, validateFlocker)],
    ['nfs', 'nfs', spec.nfs, check(spec.nfs, validateNfs)],
    ['rbd', 'rbd', rbd, fields(rbd, 'monitors', 'image')],
    ['quobyte', 'quobyte', spec.quobyte, check(spec.quobyte, validateQuobyte)],
    ['cephFS', 'cephfs', cephfs, fields(cephfs, 'monitors')],
    ['iscsi', 'iscsi', spec.iscsi, (path, errors) => validateVolumeIscsi(spec.iscsi, name, path, errors)],
    [
      'cinder',
      'cinder',
      cinder,
      (path, errors) => {
        fields(cinder, 'volumeID')(path, errors);
        checkSecretRef(cinder?.secretRef, true, path.child('secretRef'), errors);
      },
    ],
    ['fc', 'fc', spec.fc, check(spec.fc, validateFibreChannel)],
    ['flexVolume', 'flexVolume', spec.flexVolume, check(spec.flexVolume, validateFlexVolume)],
    [
      'azureFile',
      'azureFile',
      azureFile,
      (path, errors) => {
        fields(azureFile, 'secretName', 'shareName')(path, errors);
        if (azureFile?.secretNamespace === '') errors.push(required(path.child('secretNamespace')));
      },
    ],
    ['vsphereVolume', 'vsphereVolume', vsphereVolume, fields(vsphereVolume, 'volumePath')],
    ['photonPersistentDisk', 'photonPersistentDisk', photonPersistentDisk, fields(photonPersistentDisk, 'pdID')],
    ['portworxVolume', 'portworxVolume', portworxVolume, fields(portworxVolume, 'volumeID')],
    ['azureDisk', 'azureDisk', spec.azureDisk, check(spec.azureDisk, validateAzureDisk)],
    ['scaleIO', 'scaleIO', scaleIO, fields(scaleIO, 'gateway', 'system', 'volumeName')],
    ['local', 'local', spec.local, (path, errors) => validateLocal(spec, path, errors)],
    [
      'storageos',
      'storageos',
      spec.storageos,
      (path, errors) => spec.storageos && validateStorageOs(spec.storageos, true, path, errors),
    ],
    ['csi', 'csi', spec.csi, (path, errors) => validateCsi(spec.csi, path, errors)],
  ];
}

function validateSource(spec: PersistentVolumeSpec, name: string, path: FieldPath, errors: FieldError[]): void {
  let found = 0;
  for (const [alias, field, source, check] of sourceChecks(spec, name)) {
    if (!source) continue;
    // Upstream forgot to count against FlexVolumes.
    if (found++ > 0 && alias !== 'flexVolume')
      errors.push(forbidden(path.child(alias), 'may not specify more than 1 volume type'));
    else check(path.child(field), errors);
    if (alias === 'local' && found === 1 && !spec.nodeAffinity)
      errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
}

function validateLocal({ local }: PersistentVolumeSpec, path: FieldPath, errors: FieldError[]): void {
  if (!local?.path) errors.push(required(path.child('path')));
  else checkNoBacksteps(local.path, path.child('path'), errors);
}

function validateVolumeIscsi(
  iscsi: PersistentVolumeSpec['iscsi'],
  name: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!iscsi) return;
  const format = 'must be valid format';
  checkFields(iscsi, ['targetPortal'], path, errors);
  if (iscsi.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > 64) {
    const detail =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.push(invalid(path.child('targetportal'), iscsi.targetPortal, detail));
  }
  validateIscsi(iscsi, format, path, errors);
  checkSecretRef(iscsi.secretRef, false, path.child('secretRef'), errors);
  validateIscsiInitiator(iscsi.initiatorName, format, path, errors);
}

function validateCsi(csi: PersistentVolumeSpec['csi'], path: FieldPath, errors: FieldError[]): void {
  if (!csi) return;
  validateCsiDriverName(csi.driver, path.child('driver'), errors);
  checkFields(csi, ['volumeHandle'], path, errors);
  for (const field of [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
  ] as const)
    validateCsiSecretRef(csi[field], path.child(field), errors);
}

function validateClasses(spec: PersistentVolumeSpec, inline: boolean, path: FieldPath, errors: FieldError[]): void {
  const { storageClassName, volumeMode, volumeAttributesClassName: attributes } = spec;
  if (storageClassName) {
    if (inline) errors.push(forbidden(path.child('storageClassName'), inlineOnly));
    else checkText(storageClassName, className, path.child('storageClassName'), errors);
  }
  if (volumeMode !== undefined) {
    const modePath = path.child('volumeMode');
    if (!inline) checkSupported(volumeMode, volumeModes, modePath, errors);
    else if (volumeMode !== 'Filesystem')
      errors.push(
        forbidden(modePath, 'may not specify volumeMode other than Filesystem in the context of inline volumes'),
      );
  }
  if (attributes === undefined) return;
  const attributesPath = path.child('volumeAttributesClassName');
  if (attributes === '') errors.push(required(attributesPath, 'an empty string is disallowed'));
  else checkText(attributes, className, attributesPath, errors);
  if (!spec.csi) errors.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
}
