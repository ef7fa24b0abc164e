import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  type Mutable,
  nameIsDnsLabel,
  notSupported,
  required,
  validateLabels,
} from '@tektite/meta';
import type { PodTemplateSpec, StatefulSet, StatefulSetSpec, Volume } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateClaimSpec } from '../core/claim-spec.ts';
import { claimSpecWarnings } from '../core/claim-warnings.ts';
import { defaultPodSpec } from '../core/pod/pod-defaults.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { emptyPodSpec, validatePodAnnotations, validatePodTemplateSpec } from '../core/pod/validate-pod.ts';
import { defaultClaimSpec } from '../core/pod/volume-defaults.ts';
import { checkDnsLabel, checkNonNegative } from '../field-checks.ts';
import { goValue, printableSelector } from '../go-value/go-value.ts';
import { checkAtMostAll, checkIntOrPercent, numberOf } from '../int-or-percent.ts';
import { validateAnnotations } from '../object-meta.ts';
import { keepStatus } from '../prepare.ts';
import { ageOf, containerCells, nameOf } from '../table/cells.ts';
import { statefulSetColumns } from './columns.ts';
import {
  checkNotDecremented,
  checkRunsForever,
  checkTemplateLabels,
  readSelector,
  validateCounts,
  validateSelector,
} from '../core/workload.ts';

type Spec = Partial<StatefulSetSpec>;

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const mutableFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const specOf = (statefulSet: StatefulSet): Spec => statefulSet.spec ?? {};

function defaultStatefulSet(statefulSet: Mutable<StatefulSet>): void {
  statefulSet.spec ??= {} as Mutable<StatefulSetSpec>;
  const { spec } = statefulSet;
  spec.podManagementPolicy ||= 'OrderedReady';
  spec.updateStrategy ??= {};
  if (!spec.updateStrategy.type) {
    spec.updateStrategy.type = 'RollingUpdate';
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === 'RollingUpdate' && spec.updateStrategy.rollingUpdate)
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  spec.template.spec ??= { containers: null };
  defaultPodSpec(spec.template.spec);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    claim.spec ??= {};
    defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
}

function validateStatefulSet(spec: Spec, isUpdate: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const policy = spec.podManagementPolicy ?? '';
  if (policy === '') errors.push(required(path.child('podManagementPolicy')));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.push(invalid(path.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'"));
  validateUpdateStrategy(spec, errors);
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = retention?.[field] ?? '';
    if (retention && !['Retain', 'Delete'].includes(value))
      errors.push(notSupported(path.child('persistentVolumeClaimRetentionPolicy', field), value, ['Retain', 'Delete']));
  }
  if (!isUpdate)
    for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries())
      validateClaimSpec(claim.spec ?? {}, path.child('volumeClaimTemplates').index(i).child('spec'), errors);
  checkNonNegative(spec.replicas, path.child('replicas'), errors);
  checkNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  checkNonNegative(spec.ordinals?.start, path.child('ordinals.start'), errors);
  if (!isUpdate && spec.serviceName) checkDnsLabel(spec.serviceName, path.child('serviceName'), errors);
  validateSelector(spec.selector ?? undefined, 'statefulset', path.child('selector'), errors);
  validateTemplate(spec, errors);
  return errors;
}

function validateUpdateStrategy({ updateStrategy = {} }: Spec, errors: FieldError[]): void {
  const at = path.child('updateStrategy');
  const { type = '', rollingUpdate } = updateStrategy;
  const rollingPath = at.child('rollingUpdate');
  if (type === '') errors.push(required(at));
  else if (type === 'OnDelete') {
    if (rollingUpdate)
      errors.push(
        invalid(
          rollingPath,
          goValue('RollingUpdateStatefulSetStrategy', rollingUpdate),
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      );
  } else if (type !== 'RollingUpdate')
    errors.push(
      invalid(at, goValue('StatefulSetUpdateStrategy', updateStrategy), "must be 'RollingUpdate' or 'OnDelete'"),
    );
  else if (rollingUpdate) {
    checkNonNegative(rollingUpdate.partition, rollingPath.child('partition'), errors);
    const { maxUnavailable } = rollingUpdate;
    if (maxUnavailable === undefined) return;
    const unavailablePath = rollingPath.child('maxUnavailable');
    checkIntOrPercent(maxUnavailable, unavailablePath, errors);
    if (numberOf(maxUnavailable) === 0) errors.push(invalid(unavailablePath, maxUnavailable, 'cannot be 0'));
    checkAtMostAll(maxUnavailable, unavailablePath, errors);
  }
}

/** Pods get their claims as volumes, and their host names from the set. */
function validateTemplate(spec: Spec, errors: FieldError[]): void {
  const selector = readSelector(spec.selector ?? undefined);
  const template = spec.template ?? {};
  const at = path.child('template');
  if (!selector) errors.push(invalid(path.child('selector'), printableSelector(spec.selector ?? undefined), ''));
  else {
    const completed = withClaims(template, spec);
    checkTemplateLabels(selector, completed, at, errors);
    validatePodTemplateSpec(completed, at, errors);
    const { labels, annotations } = completed.metadata ?? {};
    errors.push(...validateLabels(labels, at.child('labels')));
    validateAnnotations(annotations, at.child('annotations'), errors);
    validatePodAnnotations(annotations, completed.spec ?? emptyPodSpec, at.child('annotations'), errors);
  }
  checkRunsForever(template, 'StatefulSet', at, errors);
}

function withClaims(template: Partial<PodTemplateSpec>, spec: Spec): Partial<PodTemplateSpec> {
  const { subdomain: _, hostname: __, ...podSpec } = template.spec ?? emptyPodSpec;
  const claims: Volume[] = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name ?? '',
    persistentVolumeClaim: { claimName: metadata.name ?? '' },
  }));
  const unique = [...new Map(claims.map((volume) => [volume.name, volume])).values()];
  const volumes = [
    ...unique,
    ...(podSpec.volumes ?? []).filter(({ name }) => !unique.some((claim) => claim.name === name)),
  ];
  return { ...template, spec: { ...podSpec, ...(volumes.length > 0 && { volumes }) } };
}

function immutablePart(spec: Spec): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !mutableFields.includes(field)));
}

const forbiddenUpdate =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function statefulSetWarnings(statefulSet: StatefulSet, old: StatefulSet | undefined): string[] {
  const spec = specOf(statefulSet);
  const warnings =
    old && equalJson(statefulSet.spec, old.spec) ? [] : podTemplateWarnings(spec.template, path.child('template'));
  for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    const at = path.child('volumeClaimTemplates').index(i);
    warnings.push(...claimSpecWarnings(claim.spec, old ? at.child('Spec') : at));
  }
  if ((spec.revisionHistoryLimit ?? 0) < 0)
    warnings.push(
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    );
  return warnings;
}

export const statefulSetStrategy: KindStrategy<StatefulSet> = {
  validateName: nameIsDnsLabel,
  default: defaultStatefulSet,
  prepareForCreate(statefulSet) {
    statefulSet.status = { replicas: 0 };
    delete statefulSet.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    prepareTemplate(statefulSet.spec?.template);
  },
  prepareForUpdate(statefulSet, old) {
    keepStatus(statefulSet, old);
    if (old.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined)
      delete statefulSet.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
    prepareTemplate(statefulSet.spec?.template, old.spec?.template);
  },
  validateCreate: (statefulSet) => validateStatefulSet(specOf(statefulSet), false),
  validateUpdate(statefulSet, old) {
    const errors = validateStatefulSet(specOf(statefulSet), true);
    if (!equalJson(immutablePart(specOf(statefulSet)), immutablePart(specOf(old))))
      errors.push(forbidden(path, forbiddenUpdate));
    return errors;
  },
  subresources: {
    status: {
      validateUpdate({ status }, old) {
        const errors: FieldError[] = [];
        validateCounts(
          { ...status },
          [
            'replicas',
            'readyReplicas',
            'currentReplicas',
            'updatedReplicas',
            'availableReplicas',
            'observedGeneration',
            'collisionCount',
          ],
          ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
          statusPath,
          errors,
        );
        const { availableReplicas = 0, readyReplicas = 0 } = status ?? {};
        if (availableReplicas > readyReplicas)
          errors.push(
            invalid(
              statusPath.child('availableReplicas'),
              availableReplicas,
              'cannot be greater than status.readyReplicas',
            ),
          );
        checkNotDecremented(
          status?.collisionCount,
          old.status?.collisionCount,
          statusPath.child('collisionCount'),
          errors,
        );
        return errors;
      },
    },
  },
  warnings: statefulSetWarnings,
  table: {
    columns: statefulSetColumns,
    row(statefulSet, context) {
      const { replicas = 0, template } = specOf(statefulSet);
      return [
        nameOf(statefulSet),
        `${statefulSet.status?.readyReplicas ?? 0}/${replicas}`,
        ageOf(statefulSet, context),
        ...containerCells(template?.spec?.containers),
      ];
    },
  },
  generationChanged: (statefulSet, old) => !equalJson(statefulSet.spec, old.spec),
};
