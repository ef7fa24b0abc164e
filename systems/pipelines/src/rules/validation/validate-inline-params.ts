import { type FieldErrors, missingField, noFieldErrors } from '@tektite/controller/field-errors';
import { type Param, type ParamSpec, typeOfValue } from '../../kinds/param.ts';
import type { TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { allErrors } from './all-errors.ts';
import { mergedSteps } from './merged-steps.ts';
import type { Rules } from '../rules.ts';
import { validateParamTypes, validateParamUsage, validateParamVariables } from './validate-params.ts';

/**
 * Parameters of a run are known to the Task inside of it whether that declares them or not, so what its steps refer to is
 * checked against both together. The paths begin at the run's spec, as upstream has them.
 */
export function validateInlineParams({ params = [], taskSpec }: TaskRunSpec, rules: Rules): FieldErrors {
  if (!taskSpec) return noFieldErrors;
  const specs = new Map(params.map((param) => [param.name, specOfParam(param)]));
  const errors = allErrors((taskSpec.params ?? []).map((declared) => declareParam(specs, declared)));
  if (!taskSpec.steps) return errors;
  const all = [...specs.values()];
  const steps = mergedSteps(taskSpec, rules);
  return errors
    .also(validateParamTypes(all))
    .also(validateParamVariables(all, steps, rules))
    .also(validateParamUsage(all, steps, rules));
}

/** Adds a declaration to what is known of parameters from the values that they are given. */
export function declareParam(specs: Map<string, ParamSpec>, declared: ParamSpec): FieldErrors | undefined {
  const given = specs.get(declared.name);
  if (!given) specs.set(declared.name, declared);
  else if (!declared.properties && (isObject(declared.default) || given.type === 'object'))
    return missingField(`${declared.name}.properties`);
  else if (given.type === 'object') specs.set(declared.name, { ...given, ...propertiesOf(declared) });
  return undefined;
}

/** The declaration that would accept this parameter. */
export function specOfParam({ name, value }: Param): ParamSpec {
  const spec: ParamSpec = { name, type: typeOfValue(value), default: value };
  if (!isObject(value)) return spec;
  const properties = Object.fromEntries(Object.keys(value).map((key) => [key, { type: 'string' as const }]));
  return { ...spec, properties };
}

function propertiesOf({ properties }: ParamSpec): Pick<ParamSpec, 'properties'> {
  return properties ? { properties } : {};
}

function isObject(value: ParamSpec['default']): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && !Array.isArray(value);
}
