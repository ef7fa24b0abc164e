import { equalJson, type FieldError, FieldPath } from '@tektite/meta';
import type { PodTemplate } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { containerCells, formatLabels, nameOf } from '../table/cells.ts';
import { podTemplateColumns } from './columns.ts';
import { defaultPodSpec } from './pod/pod-defaults.ts';
import { podTemplateWarnings } from './pod/pod-warnings.ts';
import { prepareTemplate } from './pod/prepare-pod.ts';
import { validatePodTemplateSpec } from './pod/validate-pod.ts';

const path = FieldPath.of('template');

function validateTemplate({ template = {} }: PodTemplate): FieldError[] {
  const errors: FieldError[] = [];
  validatePodTemplateSpec(template, path, errors);
  return errors;
}

export const podTemplateStrategy: KindStrategy<PodTemplate> = {
  default(object) {
    object.template ??= {};
    object.template.spec ??= { containers: null };
    defaultPodSpec(object.template.spec);
  },
  prepareForCreate: (object) => prepareTemplate(object.template),
  prepareForUpdate: (object, old) => prepareTemplate(object.template, old.template),
  validateCreate: validateTemplate,
  validateUpdate: validateTemplate,
  warnings: (object, old) =>
    old && equalJson(object.template, old.template) ? [] : podTemplateWarnings(object.template, path),
  table: {
    columns: podTemplateColumns,
    row: (object) => [
      nameOf(object),
      ...containerCells(object.template?.spec?.containers),
      formatLabels(object.template?.metadata?.labels),
    ],
  },
  generationChanged: (object, old) => !equalJson(object.template, old.template),
  returnDeletedObject: true,
};
