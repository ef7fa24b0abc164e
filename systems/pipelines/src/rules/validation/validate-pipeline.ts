import {
  disallowedField,
  type FieldErrors,
  genericError,
  invalidValue,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { PipelineObject } from '../../kinds/kinds.ts';
import type { ParamSpec } from '../../kinds/param.ts';
import type { PipelineSpec, PipelineTask, PipelineWorkspaceDeclaration } from '../../kinds/pipeline-spec.ts';
import { buildGraph, isGraphError } from '../../pipeline/graph.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';
import {
  validateArtifactVariables,
  validateContextVariables,
  validatePrefixes,
} from './validate-pipeline-variables.ts';
import { validateMatrices } from './validate-matrix.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateEnums, validateParamTypes, validateParamUsage, validateUniqueParams } from './validate-params.ts';
import { validatePipelineParams, validateUniqueTaskParams } from './validate-pipeline-params.ts';
import {
  validateFinalResults,
  validateNestedResults,
  validatePipelineResults,
  validateStatusVariables,
} from './validate-pipeline-results.ts';
import { stepsOfTask, validatePipelineTask } from './validate-pipeline-task.ts';
import { validateWhen } from './validate-when.ts';

/** All that is wrong with a Pipeline. */
export function validatePipeline({ metadata, spec: given }: PipelineObject, rules: Rules): FieldErrors {
  const spec = withNames(given);
  return allErrors([
    validateMetadata(metadata),
    validatePipelineSpec(spec, rules).viaField('spec'),
    validateParamsInUse(spec, rules).viaField('spec'),
    validateWorkspacesInUse(spec).viaField('spec'),
  ]);
}

/** Upstream checks many things first for tasks, then for final tasks. */
type Part = 'tasks' | 'finally';
const parts: readonly Part[] = ['tasks', 'finally'];

/** A Pipeline's spec, also inside of a run. Whether what it uses is declared is another matter: a run may bring some of it. */
export function validatePipelineSpec(given: PipelineSpec, rules: Rules): FieldErrors {
  const spec = withNames(given);
  const { params = [], workspaces = [], results = [], tasks = [], finally: final = [] } = spec;
  const each = (check: (list: readonly PipelineTask[], part: Part) => FieldErrors | undefined) =>
    parts.map((part) => check(spec[part] ?? [], part));
  const seen = (list: readonly PipelineTask[]) =>
    list.map(rules.version === 'v1' ? (task) => withMergedSteps(task, rules) : withoutTask);
  return allErrors([
    Object.keys(spec).length === 0 ? nothing : undefined,
    'resources' in spec ? disallowedField('resources') : undefined,
    validateTasks(tasks, final, rules),
    validateGraph(seen(tasks)),
    ...each((list, part) => validateParams(params, list, rules).viaField(part)),
    ...each((list, part) => validateContextVariables(list).viaField(part)),
    validateStatusVariables(tasks, final),
    validateWorkspaces(workspaces).viaField('workspaces'),
    validatePipelineResults(results, tasks, final).viaField('results'),
    validateNestedResults(seen(tasks), seen(final)),
    final.length > 0 && tasks.length === 0
      ? invalidValue(`spec.tasks is empty but spec.finally has ${final.length} tasks`, 'finally')
      : undefined,
    validateFinalTasks(tasks, final).viaField('finally'),
    ...each((list, part) =>
      allErrors(list.map(({ when = [] }, index) => validateWhen(when, rules).viaFieldIndex(part, index))),
    ),
    rules.flags.enableArtifacts ? undefined : validateArtifactVariables(tasks, final),
    ...each((list, part) => validateMatrices(list, rules).viaField(part)),
    ...each((list, part) => validatePrefixes(list).viaField(part)),
  ]);
}

/** A name that is empty is not printed, so a task may come without one. */
function withNames(spec: PipelineSpec): PipelineSpec {
  const named = (tasks: readonly PipelineTask[]) => tasks.map((task) => ({ ...task, name: task.name ?? '' }));
  const { tasks, finally: final } = spec;
  return { ...spec, ...(tasks ? { tasks: named(tasks) } : {}), ...(final ? { finally: named(final) } : {}) };
}

const nothing = genericError(
  'expected at least one, got none',
  'description',
  'params',
  'resources',
  'tasks',
  'workspaces',
);

/** Validates each task, and that its name is unique. */
function validateTasks(tasks: readonly PipelineTask[], final: readonly PipelineTask[], rules: Rules): FieldErrors {
  const names = new Set<string>();
  const check = (task: PipelineTask, index: number, part: Part) => {
    const isDouble = names.has(task.name);
    names.add(task.name);
    return validatePipelineTask(task, rules, validatePipelineSpec)
      .also(isDouble ? multipleOneOf('name') : undefined)
      .viaFieldIndex(part, index);
  };
  return allErrors([
    ...tasks.map((task, index) => check(task, index, 'tasks')),
    ...final.map((task, index) => check(task, index, 'finally')),
  ]);
}

/** The older version does not search results in Tasks within the Pipeline. */
function withoutTask({ taskSpec: _, ...task }: PipelineTask): PipelineTask {
  return task;
}

function withMergedSteps(task: PipelineTask, rules: Rules): PipelineTask {
  const { taskSpec } = task;
  if (!taskSpec?.stepTemplate) return task;
  return { ...task, taskSpec: { ...taskSpec, steps: stepsOfTask(task, rules) } };
}

function validateGraph(tasks: readonly PipelineTask[]): FieldErrors | undefined {
  try {
    buildGraph(tasks);
    return undefined;
  } catch (error) {
    if (!isGraphError(error)) throw error;
    return invalidValue(error.message, 'tasks');
  }
}

/**
 * The declared parameters. Upstream does this once for tasks and once for final tasks, and so reports errors at both.
 */
export function validateParams(
  params: readonly ParamSpec[],
  tasks: readonly PipelineTask[],
  rules: Rules,
): FieldErrors {
  return allErrors([
    validateParamTypes(params).viaField('params'),
    validateUniqueParams(params),
    validateEnums(params, rules).viaField('params'),
    ...tasks.map((task, index) => validateUniqueTaskParams(task.params).viaField('params').viaIndex(index)),
  ]);
}

function validateWorkspaces(workspaces: readonly PipelineWorkspaceDeclaration[]): FieldErrors {
  const names = new Set<string>();
  return allErrors(
    workspaces.flatMap(({ name }, index) => {
      const isDouble = names.has(name);
      names.add(name);
      const double = `workspace with name ${quoteGo(name)} appears more than once`;
      return [
        name === '' ? invalidValue(`workspace ${index} has empty name`, '').viaIndex(index) : undefined,
        isDouble ? invalidValue(double, '').viaIndex(index) : undefined,
      ];
    }),
  );
}

function validateFinalTasks(tasks: readonly PipelineTask[], final: readonly PipelineTask[]): FieldErrors {
  return allErrors(
    final.map(({ name, runAfter = [] }, index) => {
      const message = `no runAfter allowed under spec.finally, final task ${name} has runAfter specified`;
      return runAfter.length > 0 ? invalidValue(message, '').viaIndex(index) : undefined;
    }),
  ).also(validateFinalResults(tasks, final));
}

/** Whether the parameters that tasks use are declared: those of the Pipeline, and in Tasks within it their own, too. */
function validateParamsInUse(spec: PipelineSpec, rules: Rules): FieldErrors {
  const { params = [] } = spec;
  const inTasks = parts.flatMap((part) =>
    (spec[part] ?? []).map((task, index) => {
      const { taskSpec } = task;
      if (!taskSpec) return undefined;
      const all = [...(taskSpec.params ?? []), ...params];
      return validateParamUsage(all, stepsOfTask(task, rules), rules).viaFieldIndex(part, index);
    }),
  );
  const ofTasks = parts.map((part) => validatePipelineParams(spec[part] ?? [], params).viaField(part));
  return allErrors([...inTasks, ...ofTasks]);
}

function validateWorkspacesInUse(spec: PipelineSpec): FieldErrors {
  const names = new Set((spec.workspaces ?? []).map(({ name }) => name));
  return allErrors(
    parts.map((part) =>
      allErrors((spec[part] ?? []).map((task, index) => validateTaskWorkspaces(task, names).viaIndex(index))).viaField(
        part,
      ),
    ),
  );
}

/** The workspaces that a task wants of the Pipeline. */
export function validateTaskWorkspaces(
  { name = '', workspaces = [] }: PipelineTask,
  known: ReadonlySet<string>,
): FieldErrors {
  const seen = new Set<string>();
  return allErrors(
    workspaces.map((binding, index) => {
      const isDouble = seen.has(binding.name);
      seen.add(binding.name);
      const wanted = binding.workspace || binding.name;
      const missing = `pipeline task ${quoteGo(name)} expects workspace with name ${quoteGo(wanted)} but none exists in pipeline spec`;
      return noFieldErrors
        .also(
          isDouble ? genericError(`workspace name ${quoteGo(binding.name)} must be unique`, '') : undefined,
          known.has(wanted) ? undefined : invalidValue(missing, ''),
        )
        .viaFieldIndex('workspaces', index);
    }),
  );
}
