import {
  type FieldError,
  type FieldPath,
  invalid,
  validateDns1123Subdomain,
  nameIsDnsLabel,
  notSupported,
  inclusiveRangeError,
  required,
  tooLong,
} from '@tektite/meta';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsPersistentVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSPersistentVolumeSource,
} from '@tektite/schema/kubernetes';
import { checkDnsLabel, checkDnsSubdomain, checkRequired, checkSupported } from '../field-checks.ts';
import { checkNoBacksteps } from './paths.ts';

/** Rules of the volume sources that Pods and PersistentVolumes share. */

/** `field` of `source` must not be empty; for the many sources that have no other rule. */
export function checkFields<T extends object>(
  source: T,
  fields: readonly (keyof T & string)[],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const field of fields) {
    const value: unknown = source[field];
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      errors.push(required(path.child(field)));
  }
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateHostPath(source: HostPathVolumeSource, path: FieldPath, errors: FieldError[]): void {
  if (!source.path) {
    errors.push(required(path.child('path')));
    return;
  }
  checkNoBacksteps(source.path, path.child('path'), errors);
  if (source.type !== undefined) checkSupported(source.type, hostPathTypes, path.child('type'), errors);
}

function checkPartition(partition: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (partition !== undefined && (partition < 0 || partition > 255))
    errors.push(invalid(path.child('partition'), partition, inclusiveRangeError(1, 255)));
}

export function validateGceDisk(source: GCEPersistentDiskVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(source, ['pdName'], path, errors);
  checkPartition(source.partition, path, errors);
}

export function validateAwsDisk(source: AWSElasticBlockStoreVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(source, ['volumeID'], path, errors);
  checkPartition(source.partition, path, errors);
}

export function validateNfs(source: NFSVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(source, ['server', 'path'], path, errors);
  if (!source.path?.startsWith('/'))
    errors.push(invalid(path.child('path'), source.path ?? '', 'must be an absolute path'));
}

const iscsiName = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** The violation about a name of an iSCSI node, if any. */
function iscsiNameViolation(name: string, unknownFormat: string): string | undefined {
  const family = name.slice(0, 3);
  if (family !== 'iqn' && family !== 'eui' && family !== 'naa') return unknownFormat;
  return iscsiName[family].test(name) ? undefined : 'must be valid format';
}

/** Pods get a longer violation about a name of an unknown format than PersistentVolumes do. */
export function validateIscsi(
  source: Omit<ISCSIVolumeSource, 'secretRef'> & { readonly secretRef?: object },
  unknownFormat: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!source.iqn) errors.push(required(path.child('iqn')));
  else {
    const violation = iscsiNameViolation(source.iqn, unknownFormat);
    if (violation !== undefined) errors.push(invalid(path.child('iqn'), source.iqn, violation));
  }
  if (source.lun < 0 || source.lun > 255)
    errors.push(invalid(path.child('lun'), source.lun, inclusiveRangeError(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef)
    errors.push(required(path.child('secretRef')));
}

export function validateIscsiInitiator(
  initiator: string | undefined,
  unknownFormat: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (initiator === undefined) return;
  const violation = iscsiNameViolation(initiator, unknownFormat);
  if (violation !== undefined) errors.push(invalid(path.child('initiatorname'), initiator, violation));
}

export function validateFibreChannel(source: FCVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const { targetWWNs = [], wwids = [], lun } = source;
  const targetPath = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(targetPath, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0)
    errors.push(invalid(targetPath, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, inclusiveRangeError(0, 255)));
}

export function validateQuobyte(source: QuobyteVolumeSource, path: FieldPath, errors: FieldError[]): void {
  const words = 'must be a host:port pair or multiple pairs separated by commas';
  if (!source.registry) errors.push(required(path.child('registry'), words));
  else if ((source.tenant ?? '').length >= 65)
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of source.registry.split(','))
      if (!/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair))
        errors.push(invalid(path.child('registry'), source.registry, words));
  checkFields(source, ['volume'], path, errors);
}

export function validateGlusterfs(
  source: GlusterfsPersistentVolumeSource,
  path: FieldPath,
  errors: FieldError[],
): void {
  checkFields(source, ['endpoints', 'path'], path, errors);
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return;
  const namespacePath = path.child('endpointsNamespace');
  if (namespace === '') {
    const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
    errors.push(invalid(namespacePath, namespace, detail));
  } else
    for (const violation of nameIsDnsLabel(namespace, false)) errors.push(invalid(namespacePath, namespace, violation));
}

export function validateFlocker(
  { datasetName = '', datasetUUID = '' }: FlockerVolumeSource,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
}

export function validateFlexVolume(
  source: Pick<FlexVolumeSource, 'driver' | 'options'>,
  path: FieldPath,
  errors: FieldError[],
): void {
  checkFields(source, ['driver'], path, errors);
  for (const key in source.options) {
    const domain = `.${key.split('/', 1)[0]?.toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io'))
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
}

const managedDiskUri =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDiskUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(source, ['diskName', 'diskURI'], path, errors);
  const { cachingMode, kind, diskURI = '' } = source;
  if (cachingMode !== undefined)
    checkSupported(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode'), errors);
  if (kind === undefined) return;
  checkSupported(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind'), errors);
  const uriPath = path.child('diskURI');
  if (kind === 'Managed') {
    if (!diskURI.startsWith('/subscriptions/')) errors.push(notSupported(uriPath, diskURI, [managedDiskUri]));
  } else if (!diskURI.startsWith('https://')) errors.push(notSupported(uriPath, diskURI, [blobDiskUri]));
}

export function validateStorageOs(
  source: Omit<StorageOSPersistentVolumeSource, 'secretRef'> & {
    readonly secretRef?: { readonly name?: string; readonly namespace?: string };
  },
  needsNamespace: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!source.volumeName) errors.push(required(path.child('volumeName')));
  else checkDnsLabel(source.volumeName, path.child('volumeName'), errors);
  if (source.volumeNamespace) checkDnsLabel(source.volumeNamespace, path.child('volumeNamespace'), errors);
  checkSecretRef(source.secretRef, needsNamespace, path.child('secretRef'), errors);
}

/** A reference to a Secret that, if it is there, must be complete. */
export function checkSecretRef(
  ref: { readonly name?: string; readonly namespace?: string } | undefined,
  needsNamespace: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!ref) return;
  checkRequired(ref.name, path.child('name'), errors);
  if (needsNamespace) checkRequired(ref.namespace, path.child('namespace'), errors);
}

/** The name of a CSI driver, in any case. */
export function validateCsiDriverName(driver: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!driver) {
    errors.push(required(path));
    return;
  }
  if (driver.length > 63) errors.push(tooLong(path, 63));
  for (const violation of validateDns1123Subdomain(driver.toLowerCase())) errors.push(invalid(path, driver, violation));
}

/** A reference from a PersistentVolume to a Secret in any namespace. */
export function validateCsiSecretRef(
  ref: { readonly name?: string; readonly namespace?: string } | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!ref) return;
  if (!ref.name) errors.push(required(path.child('name')));
  else checkDnsSubdomain(ref.name, path.child('name'), errors);
  if (!ref.namespace) errors.push(required(path.child('namespace')));
  else checkDnsLabel(ref.namespace, path.child('namespace'), errors);
}
