import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  nameIsDnsSubdomain,
  type ObjectMeta,
  Quantity,
  quoteGo,
  required,
} from '@tektite/meta';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  ImageVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  SecretVolumeSource,
  Volume,
} from '@tektite/schema/kubernetes';
import { checkDnsLabel, checkRequiredSupported, checkText } from '../../field-checks.ts';
import { validateClaimTemplate } from '../claim-spec.ts';
import {
  checkFields,
  checkSecretRef,
  validateAwsDisk,
  validateAzureDisk,
  validateCsiDriverName,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateGceDisk,
  validateHostPath,
  validateIscsi,
  validateIscsiInitiator,
  validateNfs,
  validateQuobyte,
  validateStorageOs,
} from '../volume-sources.ts';
import { validateKeyToPath } from './key-to-path.ts';
import { checkDescendingPath, checkFileMode } from '../paths.ts';
import { validateDownwardFile, validateProjected } from './projected-volume.ts';
import type { VolumesByName } from './volume-mounts.ts';

export interface VolumeRules {
  /** Absent inside a template. */
  readonly podMeta?: ObjectMeta;
  readonly isPod: boolean;
}

/** Checks the volumes of a Pod; answers with those that are good, which containers may mount. */
export function validateVolumes(
  volumes: readonly Volume[],
  rules: VolumeRules,
  path: FieldPath,
  errors: FieldError[],
): VolumesByName {
  const podName = rules.podMeta?.name;
  const createdClaims = new Set(
    podName ? volumes.filter((volume) => volume.ephemeral).map((volume) => `${podName}-${volume.name}`) : [],
  );
  const good = new Map<string, Volume>();
  for (const [i, volume] of volumes.entries()) {
    const volumePath = path.index(i);
    const before = errors.length;
    validateVolumeSource(volume, rules, volumePath, errors);
    const namePath = volumePath.child('name');
    if (!volume.name) errors.push(required(namePath));
    else checkDnsLabel(volume.name, namePath, errors);
    if (good.has(volume.name)) errors.push(duplicate(namePath, volume.name));
    if (errors.length === before) good.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && createdClaims.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(volumePath.child('persistentVolumeClaim', 'claimName'), claim, detail));
    }
  }
  return good;
}

/** The context of a volume source. */
interface Around {
  readonly volume: Volume;
  readonly path: FieldPath;
  readonly rules: VolumeRules;
}

interface SourceRule {
  readonly field: keyof Volume;
  readonly check: (around: Around, path: FieldPath, errors: FieldError[]) => void;
  /** The name in a violation about a second source, where it is not that of the field. */
  readonly alias?: string;
  /** The name in other violations. */
  readonly path?: string;
}

function source<K extends keyof Volume>(
  field: K,
  check: (value: NonNullable<Volume[K]>, path: FieldPath, errors: FieldError[], around: Around) => void,
  names: { readonly alias?: string; readonly path?: string } = {},
): SourceRule {
  return {
    field,
    ...names,
    check: (around, path, errors) => check(around.volume[field] as NonNullable<Volume[K]>, path, errors, around),
  };
}

/** In upstream's order: the first is the one, others are too many. Odd names are upstream's. */
const sources: readonly SourceRule[] = [
  source('emptyDir', ({ sizeLimit }, path, errors) => {
    if (sizeLimit !== undefined && Quantity.parse(sizeLimit).sign < 0)
      errors.push(forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  }),
  source('hostPath', validateHostPath),
  source('gitRepo', validateGitRepo),
  source('gcePersistentDisk', validateGceDisk, { path: 'persistentDisk' }),
  source('awsElasticBlockStore', validateAwsDisk),
  source('secret', validateSecretVolume),
  source('nfs', validateNfs),
  source('iscsi', validatePodIscsi),
  source('glusterfs', (value, path, errors) => checkFields(value, ['endpoints', 'path'], path, errors)),
  source('flocker', validateFlocker),
  source('persistentVolumeClaim', (value, path, errors) => checkFields(value, ['claimName'], path, errors)),
  source('rbd', (value, path, errors) => checkFields(value, ['monitors', 'image'], path, errors)),
  source('cinder', (value, path, errors) => {
    checkFields(value, ['volumeID'], path, errors);
    checkSecretRef(value.secretRef, false, path.child('secretRef'), errors);
  }),
  source('cephfs', (value, path, errors) => checkFields(value, ['monitors'], path, errors), { alias: 'cephFS' }),
  source('quobyte', validateQuobyte),
  source('downwardAPI', validateDownwardApi, { alias: 'downwarAPI' }),
  source('fc', validateFibreChannel),
  source('flexVolume', validateFlexVolume),
  source('configMap', validateConfigMapVolume),
  source('azureFile', (value, path, errors) => checkFields(value, ['secretName', 'shareName'], path, errors)),
  source('vsphereVolume', (value, path, errors) => checkFields(value, ['volumePath'], path, errors)),
  source('photonPersistentDisk', (value, path, errors) => checkFields(value, ['pdID'], path, errors)),
  source('portworxVolume', (value, path, errors) => checkFields(value, ['volumeID'], path, errors)),
  source('azureDisk', validateAzureDisk),
  source('storageos', (value, path, errors) => validateStorageOs(value, false, path, errors)),
  source('projected', validateProjected),
  source('scaleIO', (value, path, errors) => checkFields(value, ['gateway', 'system', 'volumeName'], path, errors)),
  source('csi', validateCsiVolume),
  source('ephemeral', validateEphemeral),
  source('image', validateImageVolume),
];

function validateVolumeSource(volume: Volume, rules: VolumeRules, path: FieldPath, errors: FieldError[]): void {
  let found = 0;
  for (const rule of sources) {
    if (volume[rule.field] === undefined) continue;
    if (found++ > 0)
      errors.push(forbidden(path.child(rule.alias ?? rule.field), 'may not specify more than 1 volume type'));
    else rule.check({ volume, path, rules }, path.child(rule.path ?? rule.field), errors);
    if (rule.field === 'iscsi') checkIscsiLength(volume, path, errors);
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
}

const iscsiUnknownFormat = 'must be valid format starting with iqn, eui, or naa';

function validatePodIscsi(value: ISCSIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(value, ['targetPortal'], path, errors);
  validateIscsi(value, iscsiUnknownFormat, path, errors);
  validateIscsiInitiator(value.initiatorName, iscsiUnknownFormat, path, errors);
}

function checkIscsiLength({ name, iscsi }: Volume, path: FieldPath, errors: FieldError[]): void {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= 64) return;
  const detail =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  errors.push(invalid(path.child('name'), name, detail));
}

function validateGitRepo(value: GitRepoVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(value, ['repository'], path, errors);
  checkDescendingPath(value.directory ?? '', path.child('directory'), errors);
}

function validateSecretVolume(value: SecretVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(value, ['secretName'], path, errors);
  checkFileMode(value.defaultMode, path.child('defaultMode'), errors);
  validateItems(value.items, path.child('items'), errors);
}

function validateConfigMapVolume(value: ConfigMapVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFields(value, ['name'], path, errors);
  checkFileMode(value.defaultMode, path.child('defaultMode'), errors);
  validateItems(value.items, path.child('items'), errors);
}

function validateItems(items: readonly KeyToPath[] | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [i, item] of (items ?? []).entries()) validateKeyToPath(item, path.index(i), errors);
}

function validateDownwardApi(value: DownwardAPIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFileMode(value.defaultMode, path.child('defaultMode'), errors);
  for (const file of value.items ?? []) validateDownwardFile(file, path, errors);
}

function validateCsiVolume(value: CSIVolumeSource, path: FieldPath, errors: FieldError[]): void {
  validateCsiDriverName(value.driver, path.child('driver'), errors);
  const secret = value.nodePublishSecretRef;
  if (!secret) return;
  if (!secret.name) errors.push(required(path.child('nodePublishSecretRef', 'name')));
  else checkText(secret.name, (name) => nameIsDnsSubdomain(name, false), path.child('name'), errors);
}

function validateEphemeral(
  value: EphemeralVolumeSource,
  path: FieldPath,
  errors: FieldError[],
  { volume, path: volumePath, rules }: Around,
): void {
  const template = value.volumeClaimTemplate;
  if (!template) errors.push(required(path.child('volumeClaimTemplate')));
  else validateClaimTemplate(template, path.child('volumeClaimTemplate'), errors);
  const podName = rules.podMeta?.name;
  if (!podName || !volume.name) return;
  const claimName = `${podName}-${volume.name}`;
  for (const violation of nameIsDnsSubdomain(claimName, false))
    errors.push(invalid(volumePath.child('name'), volume.name, `PVC name ${quoteGo(claimName)}: ${violation}`));
}

function validateImageVolume(value: ImageVolumeSource, path: FieldPath, errors: FieldError[], { rules }: Around): void {
  if (rules.isPod) checkFields(value, ['reference'], path, errors);
  checkRequiredSupported(value.pullPolicy, ['Always', 'IfNotPresent', 'Never'], path.child('pullPolicy'), errors);
}
