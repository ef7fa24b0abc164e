import { quoteGo } from '@tektite/meta';
import { type Param, type ParamSpec, typeOfValue } from '../../../kinds/param.ts';
import type { PipelineRunSpec } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { enumError, goList, indexError, missingKeys } from '../../../params/validate-params.ts';

/** Which run of which Pipeline, as messages name them. */
export interface RunNames {
  readonly namespace: string;
  readonly run: string;
  readonly pipeline: string;
}

/** Checks that a run and its Pipeline fit together, in Tekton's order. Throws a `RunFailure`. */
export function validatePipelineRun(
  pipeline: PipelineSpec,
  spec: PipelineRunSpec,
  names: RunNames,
  options: { readonly withEnums: boolean },
): void {
  const { params: specs = [] } = pipeline;
  const { params = [] } = spec;
  const run = `PipelineRun ${names.namespace}/${names.run}`;
  const of = `Pipeline ${names.namespace}/${names.pipeline}`;
  const check = (violation: string | undefined, reason: string, words: string) => {
    if (violation === undefined) return;
    throw new RunFailure(reason, `[User error] ${run} ${words}: ${violation}`, { cause: new Error(violation) });
  };
  check(missingParams(specs, params), 'ParameterMissing', `is missing some parameters required by ${of}`);
  check(
    wrongTypes(specs, params),
    'ParameterTypeMismatch',
    `parameters have mismatching types with ${of}'s parameters`,
  );
  if (options.withEnums) check(enumError(specs, params), 'InvalidParamValue', 'parameters have invalid value');
  check(
    missingObjectKeys(specs, params),
    'ObjectParameterMissKeys',
    `parameters is missing object keys required by ${of}'s parameters`,
  );
  check(
    indexError(indexedTexts(pipeline), specs, params),
    'ParamArrayIndexingInvalid',
    `failed validation: failed to validate ${of}'s parameter which has an invalid index while referring to an array`,
  );
  check(unboundWorkspace(pipeline, spec), 'InvalidWorkspaceBindings', `doesn't bind ${of}'s Workspaces correctly`);
  check(unknownTask(pipeline, spec), 'InvalidTaskRunSpecs', "doesn't define taskRunSpecs correctly");
}

function missingParams(specs: readonly ParamSpec[], params: readonly Param[]): string | undefined {
  const given = new Set(params.map(({ name }) => name));
  const missing = specs.filter((spec) => spec.default === undefined && !given.has(spec.name)).map(({ name }) => name);
  return missing.length > 0 ? `pipelineRun missing parameters: ${goList(missing)}` : undefined;
}

function wrongTypes(specs: readonly ParamSpec[], params: readonly Param[]): string | undefined {
  const types = new Map(specs.map(({ name, type = 'string' }) => [name, type]));
  const wrong = params.filter(({ name, value }) => types.has(name) && types.get(name) !== typeOfValue(value));
  if (wrong.length === 0) return undefined;
  return `parameters have inconsistent types : ${goList(wrong.map(({ name }) => name))}`;
}

function missingObjectKeys(specs: readonly ParamSpec[], params: readonly Param[]): string | undefined {
  const missing = missingKeys(specs, new Map(params.map((param) => [param.name, param])));
  return missing.length > 0 ? `pipelineRun missing object keys for parameters: map[${missing.join(' ')}]` : undefined;
}

/** The texts that upstream searches for indices. */
function indexedTexts({ tasks = [], finally: final = [] }: PipelineSpec): readonly (string | undefined)[] {
  const valuesOf = ({ value }: Param): readonly string[] =>
    typeof value === 'string' ? [value] : (Object.values(value) as readonly string[]);
  const parts = ({ params = [], matrix, when = [] }: PipelineTask) => [
    ...params.flatMap(valuesOf),
    ...(matrix?.params ?? []).flatMap(valuesOf),
    ...when.flatMap(({ input, values = [] }) => [input, ...values]),
  ];
  const subPaths = tasks.flatMap(({ workspaces = [] }) => workspaces.map(({ subPath }) => subPath));
  return [...tasks.flatMap(parts), ...subPaths, ...final.flatMap(parts)];
}

function unboundWorkspace({ workspaces = [] }: PipelineSpec, spec: PipelineRunSpec): string | undefined {
  const bound = new Set((spec.workspaces ?? []).map(({ name }) => name));
  const missing = workspaces.find(({ name, optional }) => !optional && !bound.has(name));
  return missing && `pipeline requires workspace with name ${quoteGo(missing.name)} be provided by pipelinerun`;
}

function unknownTask({ tasks = [], finally: final = [] }: PipelineSpec, spec: PipelineRunSpec): string | undefined {
  const names = new Set([...tasks, ...final].map(({ name }) => name));
  const wrong = (spec.taskRunSpecs ?? []).find(({ pipelineTaskName = '' }) => !names.has(pipelineTaskName));
  return (
    wrong &&
    `pipelineRun's taskrunSpecs defined wrong taskName: ${quoteGo(wrong.pipelineTaskName ?? '')}, does not exist in Pipeline`
  );
}
