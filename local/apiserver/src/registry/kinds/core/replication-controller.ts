import {
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  type Mutable,
  required,
  selectorFromLabels,
} from '@tektite/meta';
import type { ReplicationController, ReplicationControllerSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkNonNegative } from '../field-checks.ts';
import { keepStatus } from '../prepare.ts';
import { ageOf, containerCells, formatLabels, nameOf } from '../table/cells.ts';
import { replicationControllerColumns } from './columns.ts';
import { validateReplicaStatus } from './replica-status.ts';
import { checkRunsForever, podNameWarnings, sortedLabels } from './workload.ts';
import { defaultPodSpec } from './pod/pod-defaults.ts';
import { podTemplateWarnings } from './pod/pod-warnings.ts';
import { prepareTemplate } from './pod/prepare-pod.ts';
import { validatePodTemplateSpec } from './pod/validate-pod.ts';

const path = FieldPath.of('spec');

const specOf = (controller: ReplicationController): ReplicationControllerSpec => controller.spec ?? {};

/** The defaults follow from the labels of the template. */
function defaultController(controller: Mutable<ReplicationController>): void {
  controller.spec ??= {};
  const { spec } = controller;
  const labels = spec.template?.metadata?.labels;
  if (labels) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (!spec.template) return;
  spec.template.spec ??= { containers: null };
  defaultPodSpec(spec.template.spec);
}

function validateController(controller: ReplicationController): FieldError[] {
  const errors: FieldError[] = [];
  const { minReadySeconds, selector = {}, replicas, template } = specOf(controller);
  checkNonNegative(minReadySeconds, path.child('minReadySeconds'), errors);
  const hasSelector = Object.keys(selector).length > 0;
  if (!hasSelector) errors.push(required(path.child('selector')));
  if (replicas === undefined) errors.push(required(path.child('replicas')));
  else checkNonNegative(replicas, path.child('replicas'), errors);
  const templatePath = path.child('template');
  if (!template) {
    errors.push(required(templatePath));
    return errors;
  }
  const labels = template.metadata?.labels;
  if (hasSelector && !selectorFromLabels(selector).matches(labels))
    errors.push(
      invalid(
        templatePath.child('metadata', 'labels'),
        labels ? sortedLabels(labels) : null,
        '`selector` does not match template `labels`',
      ),
    );
  validatePodTemplateSpec(template, templatePath, errors);
  checkRunsForever(template, 'ReplicationController', templatePath, errors);
  return errors;
}

export const replicationControllerStrategy: KindStrategy<ReplicationController> = {
  default: defaultController,
  prepareForCreate(controller) {
    controller.status = { replicas: 0 };
    prepareTemplate(controller.spec?.template);
  },
  prepareForUpdate(controller, old) {
    keepStatus(controller, old);
    prepareTemplate(controller.spec?.template, old.spec?.template);
  },
  validateCreate: validateController,
  validateUpdate: validateController,
  subresources: { status: { validateUpdate: ({ status }) => validateReplicaStatus({ ...status }) } },
  warnings(controller, old) {
    if (old && equalJson(controller.spec, old.spec)) return [];
    const advice = podTemplateWarnings(controller.spec?.template, path.child('template'));
    return old ? advice : [...podNameWarnings(controller.metadata.name), ...advice];
  },
  selectableFields: ['status.replicas'],
  fields: ({ status }) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
  table: {
    columns: replicationControllerColumns,
    row(controller, context) {
      const { replicas = 0, template, selector } = specOf(controller);
      return [
        nameOf(controller),
        replicas,
        controller.status?.replicas ?? 0,
        controller.status?.readyReplicas ?? 0,
        ageOf(controller, context),
        ...containerCells(template?.spec?.containers),
        formatLabels(selector),
      ];
    },
  },
  generationChanged: (controller, old) => !equalJson(controller.spec, old.spec),
  defaultPropagation: 'Orphan',
};
