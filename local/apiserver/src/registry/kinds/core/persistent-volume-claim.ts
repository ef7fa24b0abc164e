import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateQualifiedName,
  type Mutable,
  notSupported,
  Quantity,
  required,
} from '@tektite/meta';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { goDiff } from '../go-value/go-value.ts';
import { keepStatus, setField } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { persistentVolumeClaimColumns } from './columns.ts';
import { validateClaimSpec } from './claim-spec.ts';
import { claimSpecWarnings } from './claim-warnings.ts';
import { defaultClaimSpec } from './pod/volume-defaults.ts';
import { roundResources } from './resource-list-defaults.ts';
import { isNativeResource, validateResourceQuantity } from './resource-names.ts';
import { formatAccessModes, storageClassAnnotation, validateBasicQuantity } from './volume-formats.ts';

const specPath = FieldPath.of('spec');
const immutableSpec =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** Old clients know `dataSource` only, new ones `dataSourceRef`; both are filled in. */
function normalizeDataSources(spec: Mutable<PersistentVolumeClaimSpec>, old?: PersistentVolumeClaimSpec): void {
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const { dataSource } = spec;
  if (dataSource && !spec.dataSourceRef && !old?.dataSource && !old?.dataSourceRef) {
    const isClaim = dataSource.kind === 'PersistentVolumeClaim' && !dataSource.apiGroup;
    const isSnapshot = dataSource.kind === 'VolumeSnapshot' && dataSource.apiGroup === 'snapshot.storage.k8s.io';
    if (!isClaim && !isSnapshot) delete spec.dataSource;
  }
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { apiGroup, kind, name } = spec.dataSourceRef;
    spec.dataSource = { apiGroup: apiGroup ?? null, kind, name };
  }
}

function validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const spec = claim.spec ?? {};
  const oldSpec = old.spec ?? {};
  validateClaimSpec(spec, specPath, errors);
  const now: Mutable<PersistentVolumeClaimSpec> = { ...(spec as Mutable<PersistentVolumeClaimSpec>) };
  const before: Mutable<PersistentVolumeClaimSpec> = { ...(oldSpec as Mutable<PersistentVolumeClaimSpec>) };
  if (!before.volumeName) setField(before, 'volumeName', now.volumeName);
  allowClassUpgrade(claim, old, now, before, errors);
  if (claim.status?.phase === 'Bound') {
    if (now.resources?.requests) {
      const requests = { ...now.resources.requests };
      setField(requests, 'storage', oldSpec.resources?.requests?.storage);
      now.resources = { ...now.resources, requests };
    }
    setField(now, 'volumeAttributesClassName', before.volumeAttributesClassName);
  }
  if (!equalJson(now, before)) {
    const diff = goDiff('PersistentVolumeClaimSpec', before, now);
    errors.push(forbidden(specPath, `${immutableSpec}\n${diff}`));
  }
  const size = Quantity.parse(spec.resources?.requests?.storage ?? '0');
  if (
    size.compare(Quantity.parse(oldSpec.resources?.requests?.storage ?? '0')) < 0 &&
    size.compare(Quantity.parse(old.status?.capacity?.storage ?? '0')) <= 0
  )
    errors.push(
      forbidden(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity'),
    );
  checkImmutable(spec.volumeMode, oldSpec.volumeMode, FieldPath.of('volumeMode'), errors);
  validateAttributesClass(spec, old, errors);
  return errors;
}

/** A claim that named its class by an annotation, or not at all, may name it by the field. */
function allowClassUpgrade(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  now: Mutable<PersistentVolumeClaimSpec>,
  before: Mutable<PersistentVolumeClaimSpec>,
  errors: FieldError[],
): void {
  const annotated = old.metadata.annotations?.[storageClassAnnotation];
  const annotatedNow = claim.metadata.annotations?.[storageClassAnnotation];
  const named = claim.spec?.storageClassName;
  const oldNamed = old.spec?.storageClassName;
  const upgrades = oldNamed === undefined && named !== undefined;
  if (annotated !== undefined && upgrades && named === annotated && (annotatedNow ?? annotated) === annotated) {
    delete now.storageClassName;
    return;
  }
  if ((annotatedNow ?? '') !== (annotated ?? ''))
    errors.push(
      invalid(
        FieldPath.of('metadata', 'annotations', storageClassAnnotation),
        annotatedNow ?? '',
        'field is immutable',
      ),
    );
  if (upgrades && (annotated === undefined || named === annotated))
    setField(now, 'storageClassName', before.storageClassName);
}

function validateAttributesClass(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaim,
  errors: FieldError[],
): void {
  const name = spec.volumeAttributesClassName;
  if (name === old.spec?.volumeAttributesClassName) return;
  if (old.status?.currentVolumeAttributesClassName === undefined || name) return;
  const what = name === undefined ? 'nil' : 'empty string';
  const detail = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  errors.push(forbidden(specPath.child('volumeAttributesClassName'), detail));
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

function validateStatusUpdate({ metadata, spec, status }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  if (!metadata.resourceVersion) errors.push(required('resourceVersion'));
  if (!spec?.accessModes?.length) errors.push(required('Spec.accessModes'));
  for (const [name, quantity] of Object.entries(status?.capacity ?? {}))
    validateBasicQuantity(quantity, FieldPath.of('status', 'capacity').key(name), errors);
  const statusesPath = FieldPath.of('status', 'allocatedResourceStatuses');
  for (const [name, resize] of Object.entries(status?.allocatedResourceStatuses ?? {})) {
    validateResourceKey(name, statusesPath, errors);
    if (!resizeStatuses.includes(resize)) errors.push(notSupported(statusesPath, name, resizeStatuses));
  }
  const allocatedPath = FieldPath.of('status', 'allocatedResources');
  for (const [name, quantity] of Object.entries(status?.allocatedResources ?? {})) {
    const before = errors.length;
    validateResourceKey(name, allocatedPath, errors);
    if (errors.length > before) continue;
    validateBasicQuantity(quantity, allocatedPath.key(name), errors);
    if (errors.length === before) validateResourceQuantity('storage', quantity, allocatedPath.key(name), errors);
  }
  return errors;
}

function validateResourceKey(name: string, path: FieldPath, errors: FieldError[]): void {
  const before = errors.length;
  checkText(name, validateQualifiedName, path, errors);
  if (errors.length === before && isNativeResource(name) && name !== 'storage')
    errors.push(notSupported(path, name, ['storage']));
}

export const persistentVolumeClaimStrategy: KindStrategy<PersistentVolumeClaim> = {
  metadataRules: { onUpdate: 'both' },
  default(claim) {
    claim.spec ??= {};
    defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
    for (const list of [claim.status.capacity, claim.status.allocatedResources]) roundResources(list);
  },
  prepareForCreate(claim) {
    claim.status = { phase: 'Pending' };
    if (claim.spec) normalizeDataSources(claim.spec);
  },
  prepareForUpdate(claim, old) {
    keepStatus(claim, old);
    if (claim.spec) normalizeDataSources(claim.spec, old.spec);
  },
  validateCreate({ spec }) {
    const errors: FieldError[] = [];
    validateClaimSpec(spec ?? {}, specPath, errors);
    return errors;
  },
  validateUpdate,
  subresources: { status: { validateUpdate: validateStatusUpdate } },
  warnings({ metadata, spec }) {
    const warnings: string[] = [];
    if (metadata.annotations?.[storageClassAnnotation] !== undefined) {
      const path = FieldPath.of('metadata', 'annotations').key(storageClassAnnotation);
      warnings.push(`${path}: deprecated since v1.8; use "storageClassName" attribute instead`);
    }
    return [...warnings, ...claimSpecWarnings(spec, specPath)];
  },
  table: {
    columns: persistentVolumeClaimColumns,
    row(claim, context) {
      const { spec = {}, status = {}, metadata } = claim;
      const bound = Boolean(spec.volumeName);
      return [
        nameOf(claim),
        metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
        spec.volumeName ?? '',
        bound ? (status.capacity?.storage ?? '0') : '',
        bound ? formatAccessModes(status.accessModes) : '',
        metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? '',
        spec.volumeAttributesClassName ?? '<unset>',
        ageOf(claim, context),
        spec.volumeMode ?? '<unset>',
      ];
    },
  },
  returnDeletedObject: true,
};
