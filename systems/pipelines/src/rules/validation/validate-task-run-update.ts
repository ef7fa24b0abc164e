import { type FieldErrors, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import { equalJson } from '@tektite/meta';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { defaultTaskRun } from '../defaults/default-task-run.ts';
import type { Rules } from '../rules.ts';

/** A run is what it was when it was created; it can be cancelled, and that is all. One that is done may get new defaults. */
export function validateTaskRunUpdate(spec: TaskRunSpec, old: TaskRun, rules: Rules): FieldErrors {
  const managedBy =
    old.spec.managedBy === spec.managedBy ? noFieldErrors : invalidValue('managedBy is immutable', 'spec.managedBy');
  if (isCompleted(old.status)) {
    if (equalJson(old.spec, spec) || equalJson(defaultTaskRun(old, rules).spec, spec)) return noFieldErrors;
    return managedBy.also(invalidValue('Once the TaskRun is complete, no updates are allowed', ''));
  }
  if (equalJson(lasting(old.spec), lasting(spec))) return managedBy;
  const message = 'Once the TaskRun has started, only status and statusMessage updates are allowed';
  return managedBy.also(invalidValue(message, ''));
}

function lasting({ status: _, statusMessage: __, managedBy: ___, ...rest }: TaskRunSpec): object {
  return rest;
}
