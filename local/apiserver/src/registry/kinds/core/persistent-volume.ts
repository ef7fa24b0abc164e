import { equalJson, type FieldError, FieldPath, formatTime, forbidden, invalid, required } from '@tektite/meta';
import type {
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkImmutable } from '../field-checks.ts';
import { goDiff, goValue } from '../go-value/go-value.ts';
import { keepStatus, setField } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { persistentVolumeColumns } from './columns.ts';
import { nodeSelectorTermWarnings } from './node-labels.ts';
import { validateVolumeSpec } from './persistent-volume-spec.ts';
import { defaultVolumeSource } from './pod/volume-defaults.ts';
import { roundResources } from './resource-list-defaults.ts';
import { formatAccessModes, storageClassAnnotation } from './volume-formats.ts';

const specPath = FieldPath.of('spec');
const mountOptions = 'volume.beta.kubernetes.io/mount-options';

/** Every field of a spec that is not the source of the volume. */
const otherFields = [
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
];
const mountable = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function validateVolume({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  validateVolumeSpec(spec, metadata.name ?? '', false, specPath, errors);
  if (metadata.annotations?.[mountOptions] !== undefined && !mountable.some((field) => spec[field]))
    errors.push(
      forbidden(
        FieldPath.of('metadata', 'annotations', mountOptions),
        'may not specify mount options for this volume type',
      ),
    );
  return errors;
}

function sourceOf(spec: PersistentVolumeSpec): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !otherFields.includes(field)));
}

function validateUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  // Upstream's strategy and its rules for updates both validate the volume, so each cause is listed twice.
  const errors = [...validateVolume(volume), ...validateVolume(volume)];
  const { spec = {} } = volume;
  const { spec: oldSpec = {} } = old;
  const source = sourceOf(spec);
  if (oldSpec.csi && !oldSpec.csi.controllerExpandSecretRef && spec.csi?.controllerExpandSecretRef) {
    const { controllerExpandSecretRef: _, ...csi } = spec.csi;
    source.csi = csi;
  }
  if (!equalJson(source, sourceOf(oldSpec))) {
    const diff = goDiff('PersistentVolumeSource', sourceOf(oldSpec), source);
    const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    errors.push(forbidden(specPath.child('persistentvolumesource'), detail));
  }
  checkImmutable(spec.volumeMode, oldSpec.volumeMode, FieldPath.of('volumeMode'), errors);
  if (oldSpec.nodeAffinity && !equalJson(spec.nodeAffinity, withNewLabels(oldSpec.nodeAffinity, spec.nodeAffinity)))
    errors.push(
      invalid(
        FieldPath.of('nodeAffinity'),
        spec.nodeAffinity ? goValue('VolumeNodeAffinity', spec.nodeAffinity) : null,
        'field is immutable, except for updating from beta label to GA',
      ),
    );
  if (oldSpec.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(
      forbidden(specPath.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden'),
    );
  return errors;
}

const stableLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** The old affinity with labels of old renamed wherever the new one uses their successors. */
function withNewLabels(old: VolumeNodeAffinity, now: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
  const rename = (requirement: NodeSelectorRequirement, other: NodeSelectorRequirement | undefined) =>
    other && stableLabels[requirement.key] === other.key ? { ...requirement, key: other.key } : requirement;
  const terms = old.required?.nodeSelectorTerms?.map((term, i) => {
    const other = now?.required?.nodeSelectorTerms?.[i];
    return {
      ...term,
      ...(term.matchExpressions && {
        matchExpressions: term.matchExpressions.map((item, j) => rename(item, other?.matchExpressions?.[j])),
      }),
    };
  });
  return terms ? { ...old, required: { nodeSelectorTerms: terms } } : old;
}

function volumeWarnings({ metadata, spec = {} }: PersistentVolume): string[] {
  const warnings: string[] = [];
  const annotations = [
    [storageClassAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
    [mountOptions, 'deprecated since v1.31; use "mountOptions" attribute instead'],
  ] as const;
  for (const [key, message] of annotations)
    if (metadata.annotations?.[key] !== undefined)
      warnings.push(`${FieldPath.of('metadata', 'annotations').key(key)}: ${message}`);
  if (spec.persistentVolumeReclaimPolicy === 'Recycle')
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  for (const [i, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries())
    warnings.push(
      ...nodeSelectorTermWarnings(
        term,
        false,
        specPath.child('nodeAffinity', 'required', 'nodeSelectorTerms').index(i),
      ),
    );
  const deprecated = [
    ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
    ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
    ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
    ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
    ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
    ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
  ] as const;
  for (const [field, name, message] of deprecated)
    if (spec[field]) warnings.push(`${specPath.child(name)}: ${message}`);
  return warnings;
}

export const persistentVolumeStrategy: KindStrategy<PersistentVolume> = {
  metadataRules: { onUpdate: 'create' },
  default(volume) {
    volume.status ??= {};
    volume.status.phase ||= 'Pending';
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= 'Retain';
    volume.spec.volumeMode ??= 'Filesystem';
    defaultVolumeSource(volume.spec);
    roundResources(volume.spec.capacity);
  },
  prepareForCreate(volume, { now }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) };
  },
  prepareForUpdate: keepStatus,
  validateCreate: validateVolume,
  validateUpdate,
  subresources: {
    status: {
      prepareForUpdate(volume, old, { now }) {
        setField(volume, 'spec', old.spec);
        volume.status ??= {};
        const time = volume.status.lastPhaseTransitionTime;
        const before = old.status?.lastPhaseTransitionTime;
        if (volume.status.phase === old.status?.phase) {
          if (time === undefined) setField(volume.status, 'lastPhaseTransitionTime', before);
        } else if (time === undefined || time === before) volume.status.lastPhaseTransitionTime = formatTime(now);
      },
      validateUpdate: ({ metadata }) => (metadata.resourceVersion ? [] : [required('resourceVersion')]),
    },
  },
  warnings: volumeWarnings,
  table: {
    columns: persistentVolumeColumns,
    row(volume, context) {
      const { metadata, spec = {}, status = {} } = volume;
      const { claimRef } = spec;
      return [
        nameOf(volume),
        spec.capacity?.storage ?? '0',
        formatAccessModes(spec.accessModes),
        spec.persistentVolumeReclaimPolicy ?? '',
        metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating',
        claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '',
        metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? '',
        spec.volumeAttributesClassName ?? '<unset>',
        status.reason ?? '',
        ageOf(volume, context),
        spec.volumeMode ?? '<unset>',
      ];
    },
  },
  returnDeletedObject: true,
};
