import { type FieldError, FieldPath, forbidden } from '@tektite/meta';
import type { PriorityClass } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkImmutable, checkRequiredSupported } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { priorityClassColumns } from './columns.ts';

const highestOfUsers = 1_000_000_000;

/** The classes that every cluster has. */
const systemClasses: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const { value = 0, preemptionPolicy } = priorityClass;
  if (nameOf(priorityClass).startsWith('system-')) {
    const violation = systemClassViolation(priorityClass);
    if (violation)
      errors.push(
        forbidden(
          FieldPath.of('metadata', 'name'),
          `priority class names with 'system-' prefix are reserved for system use only. error: ${violation}`,
        ),
      );
  } else if (value > highestOfUsers)
    errors.push(
      forbidden(FieldPath.of('value'), `maximum allowed value of a user defined priority is ${highestOfUsers}`),
    );
  if (preemptionPolicy !== undefined)
    checkRequiredSupported(
      preemptionPolicy,
      ['PreemptLowerPriority', 'Never'],
      FieldPath.of('preemptionPolicy'),
      errors,
    );
  return errors;
}

function systemClassViolation(priorityClass: PriorityClass): string | undefined {
  const name = nameOf(priorityClass);
  const value = systemClasses[name];
  if (value === undefined) return `${name} is not a known system priority class`;
  if (value !== priorityClass.value) return `value of ${name} PriorityClass must be ${value}`;
  if (priorityClass.globalDefault) return `globalDefault of ${name} PriorityClass must be false`;
  return undefined;
}

function validateChange(priorityClass: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  if (priorityClass.value !== old.value)
    errors.push(forbidden(FieldPath.of('value'), 'may not be changed in an update.'));
  checkImmutable(priorityClass.preemptionPolicy, old.preemptionPolicy, FieldPath.of('preemptionPolicy'), errors);
  return errors;
}

export const priorityClassStrategy: KindStrategy<PriorityClass> = {
  default(priorityClass) {
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validateCreate: validatePriorityClass,
  validateUpdate: validateChange,
  table: {
    columns: priorityClassColumns,
    row: (priorityClass, context) => [
      nameOf(priorityClass),
      priorityClass.value ?? 0,
      priorityClass.globalDefault ?? false,
      ageOf(priorityClass, context),
      priorityClass.preemptionPolicy ?? '',
    ],
  },
  // A class starts at generation 1 and stays there.
  generationChanged: () => false,
};
