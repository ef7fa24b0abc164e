import type { Param, ParamValue } from '../../../kinds/param.ts';
import type { EmbeddedTask, Matrix, PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { TaskRef } from '../../../kinds/resolver-reference.ts';
import { isMatrixed } from '../../../pipeline/matrix.ts';
import { replaceInTask, replaceInWhen } from '../../../substitution/replace-in-task.ts';
import { replaceText, replaceValue } from '../../../substitution/replace-text.ts';
import { withinLimit } from '../../../substitution/size-limit.ts';
import { type Replacements, ReplacementSet } from '../../../substitution/replacements.ts';

const none = new Map<string, never>();

/** A Pipeline with everything replaced that may be, in all its tasks and in the Tasks within it. */
export function replaceInPipeline(spec: PipelineSpec, replacements: Replacements): PipelineSpec {
  const replace = (task: PipelineTask) => replaceInSpecTask(task, replacements);
  return {
    ...spec,
    ...(spec.tasks ? { tasks: spec.tasks.map(replace) } : {}),
    ...(spec.finally ? { finally: spec.finally.map(replace) } : {}),
  };
}

function replaceInSpecTask(task: PipelineTask, replacements: Replacements): PipelineTask {
  const replaced = replaceInPipelineTask(task, replacements);
  return {
    ...replaced,
    // The names of the runs of a matrix are only known when there are some.
    ...(task.displayName && isMatrixed(task) ? { displayName: task.displayName } : {}),
    ...(task.onError ? { onError: replaceText(task.onError, replacements) } : {}),
    ...(task.taskSpec ? { taskSpec: replaceInEmbedded(task.taskSpec, replaced.params ?? [], replacements) } : {}),
  };
}

/** A task with everything replaced that may be, but for the Task within it. */
export function replaceInPipelineTask(task: PipelineTask, replacements: Replacements): PipelineTask {
  return withinLimit('PipelineValidationFailed', () => replaceFields(task, replacements));
}

function replaceFields(task: PipelineTask, replacements: Replacements): PipelineTask {
  const { params, matrix, when, taskRef, displayName, workspaces } = task;
  return {
    ...task,
    ...(params ? { params: replaceParams(params, replacements) } : {}),
    ...(matrix ? { matrix: replaceInMatrix(matrix, replacements) } : {}),
    ...(when ? { when: when.map((each) => replaceInWhen(each, replacements)) } : {}),
    ...(taskRef ? { taskRef: replaceInTaskRef(taskRef, replacements) } : {}),
    ...(displayName ? { displayName: replaceText(displayName, replacements) } : {}),
    ...(workspaces
      ? {
          workspaces: workspaces.map((each) =>
            each.subPath ? { ...each, subPath: replaceText(each.subPath, replacements) } : each,
          ),
        }
      : {}),
  };
}

export function replaceParams(params: readonly Param[], replacements: Replacements): readonly Param[] {
  return params.map((param) => ({ ...param, value: replaceValue(param.value, replacements) }));
}

/** The values of a matrix are arrays; those of an include are texts. */
function replaceInMatrix({ params, include }: Matrix, replacements: Replacements): Matrix {
  const arrays = { ...replacements, strings: replacements.strings, arrays: replacements.arrays, objects: none };
  const texts = { strings: replacements.strings, arrays: none, objects: none };
  return {
    ...(params ? { params: replaceParams(params, arrays) } : {}),
    ...(include
      ? {
          include: include.map((each) => (each.params ? { ...each, params: replaceParams(each.params, texts) } : each)),
        }
      : {}),
  };
}

function replaceInTaskRef(ref: TaskRef, replacements: Replacements): TaskRef {
  return {
    ...ref,
    ...(ref.params ? { params: replaceParams(ref.params, replacements) } : {}),
    ...(ref.name ? { name: replaceText(ref.name, replacements) } : {}),
  };
}

/** A Task within a Pipeline sees the parameters of the Pipeline, unless the task gives others of the same names. */
function replaceInEmbedded(task: EmbeddedTask, params: readonly Param[], replacements: Replacements): EmbeddedTask {
  return replaceInTask(task, params.length > 0 ? overridden(replacements, params) : replacements) as EmbeddedTask;
}

function overridden(replacements: Replacements, params: readonly Param[]): Replacements {
  const set = new ReplacementSet().addAll(replacements);
  for (const { name, value } of params)
    for (const form of [`params.${name}`, `params["${name}"]`, `params['${name}']`]) override(set, form, name, value);
  return set;
}

/** Each sort of value only takes the place of one of the same sort; upstream puts nothing in the place of others. */
function override(set: ReplacementSet, form: string, name: string, value: ParamValue): void {
  if (set.strings.has(form)) set.strings.set(form, typeof value === 'string' ? value : '');
  if (set.arrays.has(form)) set.arrays.set(form, Array.isArray(value) ? (value as readonly string[]) : []);
  if (!set.objects.has(form)) return;
  const object = typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, string>>) : {};
  set.objects.set(form, object);
  for (const [key, item] of Object.entries(object)) set.strings.set(`params.${name}.${key}`, item);
}
