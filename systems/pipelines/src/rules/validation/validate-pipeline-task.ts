import {
  detailedError,
  disallowedField,
  type FieldErrors,
  genericError,
  invalidValue,
  missingOneOf,
} from '@tektite/controller/field-errors';
import { validateDns1123Label, quoteGo } from '@tektite/meta';
import type { PipelineSpec, PipelineTask } from '../../kinds/pipeline-spec.ts';
import type { Step } from '../../kinds/task-spec.ts';
import type { PipelineRef } from '../../kinds/resolver-reference.ts';
import { allErrors } from './all-errors.ts';
import { mergedSteps } from './merged-steps.ts';
import { gate, type Rules } from '../rules.ts';
import { validateRef } from './validate-ref.ts';
import { validateTaskSpec } from './validate-task.ts';
import { validateTaskRef } from './validate-task-run.ts';

const nameDetails =
  'Pipeline Task name must be a valid DNS Label.For more info refer to https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names';

type ValidateSpec = (spec: PipelineSpec, rules: Rules) => FieldErrors;

/** One task of a Pipeline, without what it has to do with others. `validateNested` is for a Pipeline within. */
export function validatePipelineTask(task: PipelineTask, rules: Rules, validateNested: ValidateSpec): FieldErrors {
  const { name, taskRef } = task;
  const badName = { message: `invalid value ${quoteGo(name)}`, paths: ['name'], details: nameDetails };
  return allErrors([
    taskRef?.resolver ? gate(rules, 'taskref.resolver', 'beta') : undefined,
    taskRef?.params?.length ? gate(rules, 'taskref.params', 'beta') : undefined,
    validateDns1123Label(name).length > 0 ? detailedError(badName) : undefined,
    'resources' in task ? disallowedField('resources') : undefined,
    validateRefOrSpec(task, rules),
    validateInlineSpecs(task, rules),
    validateEmbedded(task),
    validateOnError(task, rules),
    isCustom(task) ? validateCustomTask(task) : validateOwnTask(task, rules, validateNested),
  ]);
}

function validateRefOrSpec(task: PipelineTask, rules: Rules): FieldErrors {
  const fields = ['taskRef', 'taskSpec', 'pipelineRef', 'pipelineSpec'] as const;
  const given = fields.filter((field) => task[field] !== undefined);
  const expected = rules.flags.enableAPIFields === 'alpha' ? fields : fields.slice(0, 2);
  return allErrors([
    task.pipelineRef ? gate(rules, 'pipelineRef', 'alpha') : undefined,
    task.pipelineSpec ? gate(rules, 'pipelineSpec', 'alpha') : undefined,
    given.length > 1 ? genericError('expected exactly one, got multiple', ...given) : undefined,
    given.length === 0 ? missingOneOf(...expected) : undefined,
  ]);
}

function validateInlineSpecs({ taskSpec, pipelineSpec }: PipelineTask, { flags }: Rules): FieldErrors | undefined {
  if (!flags.disableInlineSpec.split(',').includes('pipeline')) return undefined;
  return allErrors([
    taskSpec ? disallowedField('taskSpec') : undefined,
    pipelineSpec ? disallowedField('pipelineSpec') : undefined,
  ]);
}

/** A spec with steps is a Task, and needs no type. */
function validateEmbedded({ taskSpec }: PipelineTask): FieldErrors | undefined {
  if (!taskSpec?.steps?.length) return undefined;
  const errorFor = (field: string) =>
    genericError(`taskSpec.${field} cannot be specified when using taskSpec.steps`, `taskSpec.${field}`);
  return allErrors([
    taskSpec.apiVersion ? errorFor('apiVersion') : undefined,
    taskSpec.kind ? errorFor('kind') : undefined,
  ]);
}

function validateOnError({ onError = '', retries = 0 }: PipelineTask, rules: Rules): FieldErrors | undefined {
  if (onError === '' || onError.startsWith('$(params')) return undefined;
  const details = 'PipelineTask OnError must be either "continue" or "stopAndFail"';
  return allErrors([
    gate(rules, 'OnError', 'beta'),
    onError === 'continue' || onError === 'stopAndFail' ? undefined : invalidValue(onError, 'OnError', details),
    onError === 'continue' && retries > 0
      ? genericError('PipelineTask OnError cannot be set to "continue" when Retries is greater than 0')
      : undefined,
  ]);
}

/** A task that another controller carries out. */
function isCustom({ taskRef, taskSpec }: PipelineTask): boolean {
  const isOther = (kind = '') => kind !== '' && kind !== 'Task';
  return [taskRef, taskSpec].some((said) => said && (isOther(said.kind) || (said.apiVersion ?? '') !== ''));
}

/**
 * The steps of a Task within a Pipeline, merged with their template: upstream merges the two when it validates the
 * Task.
 */
export function stepsOfTask(task: PipelineTask, rules: Rules): readonly Step[] {
  const { taskSpec } = task;
  if (!taskSpec) return [];
  return isCustom(task) ? (taskSpec.steps ?? []) : mergedSteps(taskSpec, rules);
}

function validateCustomTask({ taskRef, taskSpec }: PipelineTask): FieldErrors {
  const check = (said: { kind?: string; apiVersion?: string }, what: string, field: string) => {
    const { kind = '', apiVersion = '' } = said;
    const format = `invalid apiVersion format ${quoteGo(apiVersion)}, must be in the format "group/version"`;
    return [
      kind === '' ? invalidValue(`custom task ${what} must specify kind`, `${field}.kind`) : undefined,
      apiVersion === ''
        ? invalidValue(`custom task ${what} must specify apiVersion`, `${field}.apiVersion`)
        : /^[^/]+\/[^/]+$/.test(apiVersion)
          ? undefined
          : invalidValue(format, `${field}.apiVersion`),
    ];
  };
  return allErrors([
    ...(taskRef ? check(taskRef, 'ref', 'taskRef') : []),
    ...(taskSpec ? check(taskSpec, 'spec', 'taskSpec') : []),
  ]);
}

function validateOwnTask(
  { taskSpec, taskRef, pipelineRef, pipelineSpec }: PipelineTask,
  rules: Rules,
  validateNested: ValidateSpec,
): FieldErrors {
  const looksInside = rules.version === 'v1';
  return allErrors([
    taskSpec ? validateTaskSpec(taskSpec, rules).viaField('taskSpec') : undefined,
    taskRef ? validateTaskRef(taskRef, rules).viaField('taskRef') : undefined,
    pipelineRef && looksInside ? validatePipelineRef(pipelineRef, rules).viaField('pipelineRef') : undefined,
    pipelineSpec && looksInside ? validateNested(pipelineSpec, rules).viaField('pipelineSpec') : undefined,
  ]);
}

export function validatePipelineRef(ref: PipelineRef & { readonly bundle?: string }, rules: Rules): FieldErrors {
  return validateRef(ref, rules).also(ref.bundle && rules.isCreate ? disallowedField('bundle') : undefined);
}
