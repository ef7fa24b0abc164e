import {
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  labelSelectorOf,
  type Mutable,
  notSupported,
  required,
} from '@tektite/meta';
import type { Deployment, DeploymentSpec, DeploymentStatus } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { defaultPodSpec } from '../core/pod/pod-defaults.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { checkImmutable, checkNonNegative } from '../field-checks.ts';
import { goValue, printableSelector } from '../go-value/go-value.ts';
import { checkAtMostAll, checkIntOrPercent, numberOf } from '../int-or-percent.ts';
import { keepStatus, resetStatus, setField } from '../prepare.ts';
import { ageOf, containerCells, nameOf } from '../table/cells.ts';
import { deploymentColumns } from './columns.ts';
import {
  checkNotDecremented,
  podNameWarnings,
  validateCounts,
  validateReplicatedTemplate,
  validateSelector,
} from '../core/workload.ts';

const path = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

const specOf = (deployment: Deployment): Partial<DeploymentSpec> => deployment.spec ?? {};

function defaultDeployment(deployment: Mutable<Deployment>): void {
  deployment.spec ??= {} as Mutable<DeploymentSpec>;
  const { spec } = deployment;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= 'RollingUpdate';
  if (spec.strategy.type === 'RollingUpdate') {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
    spec.strategy.rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  spec.template ??= {};
  spec.template.spec ??= { containers: null };
  defaultPodSpec(spec.template.spec);
}

function validateDeployment(deployment: Deployment): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(deployment);
  checkNonNegative(spec.replicas, path.child('replicas'), errors);
  validateSelector(spec.selector ?? undefined, 'deployment', path.child('selector'), errors);
  validateReplicatedTemplate(spec.template, spec.selector ?? undefined, path, errors);
  validateStrategy(spec, errors);
  checkNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  checkNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors);
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined) {
    const deadlinePath = path.child('progressDeadlineSeconds');
    checkNonNegative(deadline, deadlinePath, errors);
    if (deadline <= (spec.minReadySeconds ?? 0))
      errors.push(invalid(deadlinePath, deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function validateStrategy({ strategy = {} }: Partial<DeploymentSpec>, errors: FieldError[]): void {
  const at = path.child('strategy');
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate)
      errors.push(forbidden(at.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== 'RollingUpdate')
    errors.push(notSupported(at, goValue('DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate']));
  else if (!rollingUpdate)
    errors.push(required(at.child('rollingUpdate'), 'this should be defaulted and never be nil'));
  else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    const unavailablePath = at.child('rollingUpdate', 'maxUnavailable');
    checkIntOrPercent(maxUnavailable, unavailablePath, errors);
    checkIntOrPercent(maxSurge, at.child('rollingUpdate', 'maxSurge'), errors);
    if (numberOf(maxUnavailable) === 0 && numberOf(maxSurge) === 0)
      errors.push(invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
    checkAtMostAll(maxUnavailable, unavailablePath, errors);
  }
}

function validateStatusUpdate({ status = {} }: Deployment, old: Deployment): FieldError[] {
  const errors: FieldError[] = [];
  validateCounts(
    status as DeploymentStatus & Record<string, unknown>,
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    statusPath,
    errors,
  );
  const { availableReplicas = 0, readyReplicas = 0 } = status;
  if (availableReplicas > readyReplicas)
    errors.push(
      invalid(statusPath.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'),
    );
  checkNotDecremented(status.collisionCount, old.status?.collisionCount, statusPath.child('collisionCount'), errors);
  return errors;
}

const changed = (deployment: Deployment, old: Deployment): boolean =>
  !equalJson(deployment.spec, old.spec) ||
  !equalJson(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {});

function selectorText(deployment: Deployment): string {
  try {
    return labelSelectorOf(specOf(deployment).selector).toString();
  } catch {
    return '<invalid>';
  }
}

export const deploymentStrategy: KindStrategy<Deployment> = {
  default: defaultDeployment,
  prepareForCreate(deployment) {
    resetStatus(deployment);
    prepareTemplate(deployment.spec?.template);
  },
  prepareForUpdate(deployment, old) {
    keepStatus(deployment, old);
    prepareTemplate(deployment.spec?.template, old.spec?.template);
  },
  validateCreate: validateDeployment,
  validateUpdate(deployment, old) {
    const errors = validateDeployment(deployment);
    checkImmutable(specOf(deployment).selector, specOf(old).selector, path.child('selector'), errors, (selector) =>
      printableSelector((selector ?? undefined) as object | undefined),
    );
    return errors;
  },
  subresources: {
    status: {
      prepareForUpdate(deployment, old) {
        setField(deployment, 'spec', old.spec);
        setField(deployment.metadata, 'labels', old.metadata.labels);
      },
      validateUpdate: validateStatusUpdate,
    },
  },
  warnings(deployment, old) {
    if (old && !changed(deployment, old)) return [];
    const advice = podTemplateWarnings(deployment.spec?.template, path.child('template'));
    return old ? advice : [...podNameWarnings(deployment.metadata.name), ...advice];
  },
  table: {
    columns: deploymentColumns,
    row(deployment, context) {
      const { replicas = 0, template } = specOf(deployment);
      const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
      return [
        nameOf(deployment),
        `${readyReplicas}/${replicas}`,
        updatedReplicas,
        availableReplicas,
        ageOf(deployment, context),
        ...containerCells(template?.spec?.containers),
        selectorText(deployment),
      ];
    },
  },
  generationChanged: changed,
};
