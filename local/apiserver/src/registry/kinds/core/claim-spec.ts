import {
  equalJson,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  validateDns1123Subdomain,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  type ObjectMeta,
  Quantity,
  required,
  validateLabelSelector,
  validateLabels,
} from '@tektite/meta';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '@tektite/schema/kubernetes';
import { checkSupported, checkText } from '../field-checks.ts';
import { validateAnnotations } from '../object-meta.ts';

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

const className = (name: string) => nameIsDnsSubdomain(name, false);

/** The modes of a claim or a volume: known ones, and the exclusive one alone. */
export function validateAccessModes(modes: readonly string[], path: FieldPath, errors: FieldError[]): void {
  for (const mode of modes) checkSupported(mode, accessModes, path, errors);
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others)
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
}

/** Validates the spec of a claim, also inside a template. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: FieldPath, errors: FieldError[]): void {
  const { accessModes: modes = [], storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (modes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(spec.selector, path.child('selector')));
  validateAccessModes(modes, path.child('accessModes'), errors);
  const storage = spec.resources?.requests?.storage;
  const storagePath = path.child('resources').key('storage');
  if (storage === undefined) errors.push(required(storagePath));
  else if (Quantity.parse(storage).sign <= 0) errors.push(invalid(storagePath, storage, 'must be greater than zero'));
  if (storageClassName) checkText(storageClassName, className, path.child('storageClassName'), errors);
  if (volumeMode !== undefined) checkSupported(volumeMode, volumeModes, path.child('volumeMode'), errors);
  validateDataSources(spec, path, errors);
  if (volumeAttributesClassName)
    checkText(volumeAttributesClassName, className, path.child('volumeAttributesClassName'), errors);
}

function validateDataSources(spec: PersistentVolumeClaimSpec, path: FieldPath, errors: FieldError[]): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource) validateDataSource(dataSource, path.child('dataSource'), errors);
  if (dataSourceRef) {
    validateDataSource(dataSourceRef, path.child('dataSourceRef'), errors);
    if (dataSourceRef.namespace)
      checkText(
        dataSourceRef.namespace,
        (name) => nameIsDnsLabel(name, false),
        path.child('dataSourceRef', 'namespace'),
        errors,
      );
  }
  if (!dataSource || !dataSourceRef) return;
  // Upstream prints the path in the place of the value: a Go struct without visible fields.
  if (dataSourceRef.namespace)
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (
    dataSource.apiGroup !== dataSourceRef.apiGroup ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  )
    errors.push(invalid(path, {}, 'must match dataSourceRef'));
}

function validateDataSource(
  { apiGroup, kind = '', name = '' }: Partial<TypedObjectReference>,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (name === '') errors.push(required(path.child('name')));
  if (kind === '') errors.push(required(path.child('kind')));
  if (apiGroup) checkText(apiGroup, validateDns1123Subdomain, path.child('apiGroup'), errors);
  else if (kind !== 'PersistentVolumeClaim')
    errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
}

/** A claim that is made for a Pod: its metadata may hold labels and annotations only. */
export function validateClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  path: FieldPath,
  errors: FieldError[],
): void {
  const meta = template.metadata ?? {};
  const metaPath = path.child('metadata');
  validateAnnotations(meta.annotations, metaPath.child('annotations'), errors);
  errors.push(...validateLabels(meta.labels, metaPath.child('labels')));
  for (const field in meta)
    if (field !== 'labels' && field !== 'annotations' && isSet(meta[field as keyof ObjectMeta]))
      errors.push(forbidden(metaPath.child(field), 'cannot be set'));
  validateClaimSpec(template.spec ?? {}, path.child('spec'), errors);
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== 0 && !equalJson(value, []);
