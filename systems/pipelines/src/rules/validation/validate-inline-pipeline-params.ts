import { type FieldErrors, noFieldErrors } from '@tektite/controller/field-errors';
import type { Param, ParamSpec } from '../../kinds/param.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';
import { declareParam, specOfParam } from './validate-inline-params.ts';
import { validateParamTypes, validateParamUsage, validateParamVariables } from './validate-params.ts';
import { validateParams } from './validate-pipeline.ts';
import { validatePipelineParams } from './validate-pipeline-params.ts';
import { stepsOfTask } from './validate-pipeline-task.ts';

/**
 * Parameters of a run reach all that is inside of it, so what tasks and steps refer to is checked against those of the run, of the
 * Pipeline and of all tasks together. The paths begin at the run's spec, as upstream has them.
 */
export function validateInlinePipelineParams(
  { params = [], pipelineSpec }: PipelineRunSpec,
  rules: Rules,
): FieldErrors {
  if (!pipelineSpec) return noFieldErrors;
  const { tasks } = pipelineSpec;
  const specs = new Map(params.map((param) => [param.name, specOfParam(param)]));
  const errors = [
    ...(pipelineSpec.params ?? []).map((declared) => declareParam(specs, declared)),
    ...(tasks ?? []).flatMap((task) => {
      for (const param of task.params ?? []) addParam(specs, param);
      return (task.taskSpec?.params ?? []).map((declared) => declareParam(specs, declared));
    }),
  ];
  if (!tasks) return allErrors(errors);
  const all = [...specs.values()];
  return allErrors([
    ...errors,
    ...tasks.flatMap((task) => {
      const steps = stepsOfTask(task, rules);
      if (steps.length === 0) return [];
      return [
        validateParamTypes(all),
        validateParamVariables(all, steps, rules),
        validateParamUsage(all, steps, rules),
      ];
    }),
    validateParams(all, tasks, rules),
    validatePipelineParams(tasks, all),
  ]);
}

/** A task may give an object keys that no other task does. */
function addParam(specs: Map<string, ParamSpec>, param: Param): void {
  const known = specs.get(param.name);
  const given = specOfParam(param);
  if (!known) specs.set(param.name, given);
  else if (given.properties)
    specs.set(param.name, { ...known, properties: { ...known.properties, ...given.properties } });
}
