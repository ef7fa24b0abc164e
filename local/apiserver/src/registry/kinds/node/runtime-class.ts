import { duplicate, type FieldError, FieldPath, nameIsDnsLabel, required, validateLabels } from '@tektite/meta';
import type { RuntimeClass, Scheduling } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { deprecatedLabel } from '../core/node-labels.ts';
import { validateContainerResources } from '../core/pod/resources.ts';
import { validateTolerations } from '../core/pod/scheduling.ts';
import { checkImmutable, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { runtimeClassColumns } from './columns.ts';

function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const errors: FieldError[] = [];
  if (!handler) errors.push(required(FieldPath.of('handler')));
  else checkText(handler, (name) => nameIsDnsLabel(name, false), FieldPath.of('handler'), errors);
  if (overhead) validateContainerResources({ limits: overhead.podFixed ?? {} }, [], FieldPath.of('overhead'), errors);
  if (scheduling) validateScheduling(scheduling, FieldPath.of('scheduling'), errors);
  return errors;
}

function validateScheduling({ nodeSelector, tolerations = [] }: Scheduling, path: FieldPath, errors: FieldError[]) {
  errors.push(...validateLabels(nodeSelector, path.child('nodeSelector')));
  validateTolerations(tolerations, path.child('tolerations'), errors);
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity))
      errors.push(duplicate(path.child('tolerations').index(i), goValue('Toleration', toleration)));
    seen.add(identity);
  }
}

export const runtimeClassStrategy: KindStrategy<RuntimeClass> = {
  metadataRules: { onUpdate: 'both', finalizers: 'any' },
  validateCreate: validateRuntimeClass,
  validateUpdate(runtimeClass, old) {
    const errors = validateRuntimeClass(runtimeClass);
    checkImmutable(runtimeClass.handler, old.handler, FieldPath.of('handler'), errors);
    return errors;
  },
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((label) => {
      const message = deprecatedLabel(label);
      return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
    }),
  table: {
    columns: runtimeClassColumns,
    row: (runtimeClass, context) => [nameOf(runtimeClass), runtimeClass.handler, ageOf(runtimeClass, context)],
  },
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
};
