import { equalJson, type FieldError, FieldPath, formatLabelSelector, type Mutable } from '@tektite/meta';
import type { ReplicaSet, ReplicaSetSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultPodSpec } from '../core/pod/pod-defaults.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { validateReplicaStatus } from '../core/replica-status.ts';
import { checkImmutable, checkNonNegative } from '../field-checks.ts';
import { printableSelector } from '../go-value/go-value.ts';
import { keepStatus } from '../prepare.ts';
import { ageOf, containerCells, nameOf } from '../table/cells.ts';
import { replicaSetColumns } from './columns.ts';
import { podNameWarnings, validateReplicatedTemplate, validateSelector } from '../core/workload.ts';

const path = FieldPath.of('spec');

const specOf = (replicaSet: ReplicaSet): Partial<ReplicaSetSpec> => replicaSet.spec ?? {};

function defaultReplicaSet(replicaSet: Mutable<ReplicaSet>): void {
  replicaSet.spec ??= {} as Mutable<ReplicaSetSpec>;
  replicaSet.spec.replicas ??= 1;
  replicaSet.spec.template ??= {};
  replicaSet.spec.template.spec ??= { containers: null };
  defaultPodSpec(replicaSet.spec.template.spec);
}

/** Upstream calls a ReplicaSet with an empty selector a deployment. */
function validateReplicaSet(replicaSet: ReplicaSet): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(replicaSet);
  checkNonNegative(spec.replicas, path.child('replicas'), errors);
  checkNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  validateSelector(spec.selector ?? undefined, 'deployment', path.child('selector'), errors);
  validateReplicatedTemplate(spec.template, spec.selector ?? undefined, path, errors);
  return errors;
}

export const replicaSetStrategy: KindStrategy<ReplicaSet> = {
  default: defaultReplicaSet,
  prepareForCreate(replicaSet) {
    replicaSet.status = { replicas: 0 };
    prepareTemplate(replicaSet.spec?.template);
  },
  prepareForUpdate(replicaSet, old) {
    keepStatus(replicaSet, old);
    prepareTemplate(replicaSet.spec?.template, old.spec?.template);
  },
  validateCreate: validateReplicaSet,
  validateUpdate(replicaSet, old) {
    const errors = validateReplicaSet(replicaSet);
    checkImmutable(specOf(replicaSet).selector, specOf(old).selector, path.child('selector'), errors, (selector) =>
      printableSelector((selector ?? undefined) as object | undefined),
    );
    return errors;
  },
  subresources: {
    status: {
      validateUpdate: ({ status }) => validateReplicaStatus({ ...status }),
    },
  },
  warnings(replicaSet, old) {
    if (old && equalJson(replicaSet.spec, old.spec)) return [];
    const advice = podTemplateWarnings(replicaSet.spec?.template, path.child('template'));
    return old ? advice : [...podNameWarnings(replicaSet.metadata.name), ...advice];
  },
  table: {
    columns: replicaSetColumns,
    row(replicaSet, context) {
      const { replicas = 0, template, selector } = specOf(replicaSet);
      const { status } = replicaSet;
      return [
        nameOf(replicaSet),
        replicas,
        status?.replicas ?? 0,
        status?.readyReplicas ?? 0,
        ageOf(replicaSet, context),
        ...containerCells(template?.spec?.containers),
        formatLabelSelector(selector),
      ];
    },
  },
  generationChanged: (replicaSet, old) => !equalJson(replicaSet.spec, old.spec),
};
