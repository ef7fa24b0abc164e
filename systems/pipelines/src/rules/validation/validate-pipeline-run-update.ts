import { type FieldErrors, invalidValue, noFieldErrors } from '@tektite/controller/field-errors';
import { equalJson } from '@tektite/meta';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import { defaultPipelineRunSpec } from '../defaults/default-pipeline-run.ts';
import type { Rules } from '../rules.ts';

/** A run is what it was when it was created; it can be stopped, and that is all. One that is done may get new defaults. */
export function validatePipelineRunUpdate(spec: PipelineRunSpec, old: PipelineRun, rules: Rules): FieldErrors {
  const managedBy =
    old.spec.managedBy === spec.managedBy ? noFieldErrors : invalidValue('managedBy is immutable', 'spec.managedBy');
  if (isCompleted(old.status)) {
    if (equalJson(old.spec, spec) || equalJson(defaultPipelineRunSpec(old.spec, rules), spec)) return noFieldErrors;
    return managedBy.also(invalidValue('Once the PipelineRun is complete, no updates are allowed', ''));
  }
  if (equalJson(lasting(old.spec), lasting(spec))) return managedBy;
  return managedBy.also(invalidValue('Once the PipelineRun has started, only status updates are allowed', ''));
}

function lasting({ status: _, managedBy: __, ...rest }: PipelineRunSpec): object {
  return rest;
}
