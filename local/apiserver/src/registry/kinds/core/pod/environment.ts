import {
  type FieldError,
  type FieldPath,
  invalid,
  validateConfigMapKey,
  validateDns1123Subdomain,
  validateRelaxedEnvVarName,
  notFound,
  required,
} from '@tektite/meta';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
} from '@tektite/schema/kubernetes';
import { checkDnsLabel, checkText } from '../../field-checks.ts';
import { validateFieldRef, validateResourceFieldRef } from './downward-api.ts';
import { checkNoBacksteps } from '../paths.ts';
import { visitContainers } from './visit-containers.ts';

const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function validateEnv(variables: readonly EnvVar[], path: FieldPath, errors: FieldError[]): void {
  for (const [i, variable] of variables.entries()) {
    const namePath = path.index(i).child('name');
    if (!variable.name) errors.push(required(namePath));
    else checkText(variable.name, validateRelaxedEnvVarName, namePath, errors);
    if (variable.valueFrom) validateValueFrom(variable, variable.valueFrom, path.index(i).child('valueFrom'), errors);
  }
}

function validateValueFrom(variable: EnvVar, source: EnvVarSource, path: FieldPath, errors: FieldError[]): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) validateFieldRef(fieldRef, variableFields, path.child('fieldRef'), errors);
  if (resourceFieldRef) validateResourceFieldRef(resourceFieldRef, path.child('resourceFieldRef'), errors, false);
  if (configMapKeyRef) validateKeyRef(configMapKeyRef, path.child('configMapKeyRef'), errors);
  if (secretKeyRef) validateKeyRef(secretKeyRef, path.child('secretKeyRef'), errors);
  if (fileKeyRef) validateFileKeyRef(fileKeyRef, path.child('fileKeyRef'), errors);
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (sources === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalid(path, '', detail));
  } else if (variable.value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

function validateKeyRef(ref: ConfigMapKeySelector, path: FieldPath, errors: FieldError[]): void {
  checkText(ref.name ?? '', validateDns1123Subdomain, path.child('name'), errors);
  if (!ref.key) errors.push(required(path.child('key')));
  else checkText(ref.key, validateConfigMapKey, path.child('key'), errors);
}

function validateFileKeyRef(ref: FileKeySelector, path: FieldPath, errors: FieldError[]): void {
  if (!ref.key) errors.push(required(path.child('key')));
  else checkText(ref.key, validateRelaxedEnvVarName, path.child('key'), errors);
  if (!ref.volumeName) errors.push(required(path.child('volumeName')));
  else checkDnsLabel(ref.volumeName, path.child('volumeName'), errors);
  if (!ref.path) errors.push(required(path.child('path')));
  else checkNoBacksteps(ref.path, path.child('path'), errors);
}

export function validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath, errors: FieldError[]): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const sourcePath = path.index(i);
    if (prefix) checkText(prefix, validateRelaxedEnvVarName, sourcePath.child('prefix'), errors);
    if (configMapRef) validateSourceName(configMapRef.name, sourcePath.child('configMapRef', 'name'), errors);
    if (secretRef) validateSourceName(secretRef.name, sourcePath.child('secretRef', 'name'), errors);
    if (!configMapRef && !secretRef)
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (configMapRef && secretRef)
      errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  }
}

function validateSourceName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!name) errors.push(required(path));
  else checkText(name, validateDns1123Subdomain, path, errors);
}

/** A file with variables must lie in an emptyDir of the Pod. */
export function checkFileKeyVolumes(spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  visitContainers(spec, path, (container, containerPath) => {
    for (const [i, variable] of (container.env ?? []).entries()) {
      const name = variable.valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      const namePath = containerPath.child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = spec.volumes?.find((candidate) => candidate.name === name);
      if (!volume) errors.push(notFound(namePath, name));
      else if (!volume.emptyDir) errors.push(invalid(namePath, name, 'referenced volume must be of type emptyDir'));
    }
  });
}
