import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  VolumeProjection,
} from '@tektite/schema/kubernetes';
import { checkRequired } from '../../field-checks.ts';
import { goValue, printableSelector } from '../../go-value/go-value.ts';
import { clusterTrustBundleName, isKubernetesSigner, validateSignerName } from '../../certificates/signer-name.ts';
import { validateAnnotations } from '../../object-meta.ts';
import { validateFieldRef, validateResourceFieldRef } from './downward-api.ts';
import { validateKeyToPath } from './key-to-path.ts';
import { checkFileMode, checkNonReservedPath } from '../paths.ts';

const fileFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

/** A file with a fact about the Pod. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath, errors: FieldError[]): void {
  checkRequired(file.path, path.child('path'), errors);
  checkNonReservedPath(file.path ?? '', path.child('path'), errors);
  if (file.fieldRef) {
    validateFieldRef(file.fieldRef, fileFields, path.child('fieldRef'), errors);
    if (file.resourceFieldRef) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalid(path, 'resource', detail));
    }
  } else if (file.resourceFieldRef)
    validateResourceFieldRef(file.resourceFieldRef, path.child('resourceFieldRef'), errors, true);
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  checkFileMode(file.mode, path.child('mode'), errors);
}

/** The files that the sources of one projected volume write: no two may be the same. */
class ProjectedPaths {
  private readonly taken = new Set<string>();
  private readonly path: FieldPath;
  private readonly errors: FieldError[];

  constructor(path: FieldPath, errors: FieldError[]) {
    this.path = path;
    this.errors = errors;
  }

  /** `shown` is what the message names. */
  take(file: string, shown: string = file): void {
    if (this.taken.has(file)) this.errors.push(invalid(this.path, shown, 'conflicting duplicate paths'));
    this.taken.add(file);
  }
}

export function validateProjected(value: ProjectedVolumeSource, path: FieldPath, errors: FieldError[]): void {
  checkFileMode(value.defaultMode, path.child('defaultMode'), errors);
  const paths = new ProjectedPaths(path, errors);
  for (const [i, source] of (value.sources ?? []).entries())
    validateProjection(source, paths, path, path.child('sources').index(i), errors);
}

function validateProjection(
  source: VolumeProjection,
  paths: ProjectedPaths,
  volumePath: FieldPath,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret) validateKeys(secret.name, secret.items, paths, path.child('secret'), errors);
  if (configMap) validateKeys(configMap.name, configMap.items, paths, path.child('configMap'), errors);
  for (const file of downwardAPI?.items ?? []) {
    validateDownwardFile(file, path.child('downwardAPI'), errors);
    if (file.path) paths.take(file.path);
  }
  if (serviceAccountToken) {
    const { expirationSeconds = 0, path: file = '' } = serviceAccountToken;
    const secondsPath = path.child('serviceAccountToken', 'expirationSeconds');
    if (expirationSeconds < 600)
      errors.push(invalid(secondsPath, expirationSeconds, 'may not specify a duration less than 10 minutes'));
    if (expirationSeconds > 2 ** 32)
      errors.push(invalid(secondsPath, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
    if (file === '') errors.push(required(volumePath.child('path')));
    else checkNonReservedPath(file, volumePath.child('path'), errors);
  }
  if (clusterTrustBundle) validateTrustBundle(clusterTrustBundle, paths, path.child('clusterTrustBundle'), errors);
  if (podCertificate) validatePodCertificate(podCertificate, paths, path.child('podCertificate'), errors);
  const sources = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate];
  if (sources.filter(Boolean).length > 1)
    errors.push(forbidden(path, 'may not specify more than 1 volume type per source'));
}

function validateKeys(
  name: string | undefined,
  items: readonly KeyToPath[] | undefined,
  paths: ProjectedPaths,
  path: FieldPath,
  errors: FieldError[],
): void {
  checkRequired(name, path.child('name'), errors);
  for (const [i, item] of (items ?? []).entries()) {
    validateKeyToPath(item, path.child('items').index(i), errors);
    if (item.path) paths.take(item.path, name ?? '');
  }
}

function validateTrustBundle(
  bundle: ClusterTrustBundleProjection,
  paths: ProjectedPaths,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { name, signerName, labelSelector, path: file = '' } = bundle;
  if (name !== undefined && signerName !== undefined)
    errors.push(
      invalid(path, goValue('ClusterTrustBundleProjection', bundle), 'only one of name and signerName may be used'),
    );
  else if (name !== undefined) {
    if (name === '') errors.push(required(path.child('name'), 'must be a valid object name'));
    const colon = name.lastIndexOf(':');
    const signer = colon < 0 ? '' : name.slice(0, colon).replaceAll(':', '/');
    for (const violation of clusterTrustBundleName(signer)(name, false))
      errors.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${violation}`));
    if (labelSelector) {
      const detail = 'labelSelector must be unset if name is specified';
      errors.push(invalid(path.child('labelSelector'), printableSelector(labelSelector), detail));
    }
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(path.child('signerName'), 'must be a valid signer name'));
    validateSignerName(signerName, path.child('signerName'), errors);
    errors.push(...validateLabelSelector(labelSelector, path.child('labelSelector')));
  } else errors.push(required(path, 'either name or signerName must be specified'));
  checkRequired(file, path.child('path'), errors);
  checkNonReservedPath(file, path.child('path'), errors);
  paths.take(file);
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

function validatePodCertificate(
  certificate: PodCertificateProjection,
  paths: ProjectedPaths,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { signerName = '', keyType = '', maxExpirationSeconds: seconds } = certificate;
  validateSignerName(signerName, path.child('signerName'), errors);
  if (certificate.userAnnotations)
    validateAnnotations(certificate.userAnnotations, path.child('userAnnotations'), errors);
  if (!keyTypes.includes(keyType)) errors.push(notSupported(path.child('keyType'), keyType, keyTypes));
  if (seconds !== undefined) {
    const secondsPath = path.child('maxExpirationSeconds');
    const maxSeconds = isKubernetesSigner(signerName) ? 86_400 : 7_862_400;
    if (seconds < 3600) errors.push(invalid(secondsPath, seconds, 'if provided, maxExpirationSeconds must be >= 3600'));
    if (seconds > maxSeconds)
      errors.push(invalid(secondsPath, seconds, `if provided, maxExpirationSeconds must be <= ${maxSeconds}`));
  }
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;
  for (const field of files) {
    const file = certificate[field];
    if (!file) continue;
    checkNonReservedPath(file, path.child(field), errors);
    paths.take(file);
  }
  if (!files.some((field) => certificate[field]))
    errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
}
