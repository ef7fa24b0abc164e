import {
  disallowedField,
  type FieldErrors,
  genericError,
  invalidValue,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { Param } from '../../kinds/param.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunSpec, PipelineTaskRunSpec } from '../../kinds/pipeline-run-spec.ts';
import type { PodTemplate } from '../../kinds/pod-template.ts';
import type { WorkspaceBinding } from '../../kinds/workspace.ts';
import { looksLikeResult, resultReference, variablesInValue } from '../../pipeline/result-reference.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';
import { validateInlinePipelineParams } from './validate-inline-pipeline-params.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateUniqueNames } from './validate-names.ts';
import { validateEnv, validateOverrides } from './validate-overrides.ts';
import { validatePipelineSpec, validateTaskWorkspaces } from './validate-pipeline.ts';
import { validatePipelineRunUpdate } from './validate-pipeline-run-update.ts';
import { validatePipelineRef } from './validate-pipeline-task.ts';
import { validateTaskRunSpecTimeout, validateTimeouts } from './validate-timeouts.ts';
import { validateBinding } from './validate-workspaces.ts';

/** The spec in any version. */
export type AnyPipelineRunSpec = PipelineRunSpec & {
  readonly timeout?: string;
  readonly podTemplate?: PodTemplate;
  readonly resources?: unknown;
};

/** All that is wrong with a PipelineRun, or with the change of one. */
export function validatePipelineRun(run: PipelineRun, old: PipelineRun | undefined, rules: Rules): FieldErrors {
  const { metadata, spec, status } = run;
  const isLate = spec.status === 'PipelineRunPending' && status?.startTime !== undefined;
  return allErrors([
    validateMetadata(metadata),
    isLate ? invalidValue('PipelineRun cannot be Pending after it is started', 'spec.status') : undefined,
    old ? validatePipelineRunUpdate(spec, old, rules).viaField('spec') : undefined,
    validateSpec(spec, rules).viaField('spec'),
  ]);
}

function validateSpec(spec: AnyPipelineRunSpec, rules: Rules): FieldErrors {
  const { params = [], workspaces = [], taskRunSpecs = [], status = '', taskRunTemplate } = spec;
  const isOld = rules.version === 'v1beta1';
  return allErrors([
    validatePipelineOfRun(spec, rules),
    validateParams(params),
    validateInlinePipelineParams(spec, rules),
    isOld ? validatePropagatedWorkspaces(spec) : undefined,
    validateTimeouts(spec, rules),
    ...taskRunSpecs.map((each, index) =>
      validateTaskRunSpec(each, spec.timeouts, rules).viaFieldIndex('taskRunSpecs', index),
    ),
    statuses.includes(status) ? undefined : invalidValue(`${status} should be ${statusList}`, 'status'),
    validateWorkspaces(workspaces),
    validateEnv(taskRunTemplate?.podTemplate?.env ?? [], rules).viaField('taskRunTemplate'),
    isOld ? validateEnv(spec.podTemplate?.env ?? [], rules) : undefined,
    spec.resources === undefined ? undefined : disallowedField('resources'),
  ]);
}

const statuses = ['', 'Cancelled', 'CancelledRunFinally', 'StoppedRunFinally', 'PipelineRunPending'];
const statusList = 'Cancelled, CancelledRunFinally, StoppedRunFinally or PipelineRunPending';

function validatePipelineOfRun({ pipelineRef, pipelineSpec }: PipelineRunSpec, rules: Rules): FieldErrors {
  const isDisabled = rules.flags.disableInlineSpec.split(',').includes('pipelinerun');
  return allErrors([
    !pipelineRef && !pipelineSpec ? missingOneOf('pipelineRef', 'pipelineSpec') : undefined,
    pipelineRef && pipelineSpec ? multipleOneOf('pipelineRef', 'pipelineSpec') : undefined,
    pipelineRef ? validatePipelineRef(pipelineRef, rules).viaField('pipelineRef') : undefined,
    pipelineSpec && isDisabled ? disallowedField('pipelineSpec') : undefined,
    pipelineSpec ? validatePipelineSpec(pipelineSpec, rules).viaField('pipelineSpec') : undefined,
  ]);
}

/** There are no results yet when a run gets its parameters. */
function validateParams(params: readonly Param[]): FieldErrors {
  const names = params.map(({ name }) => name);
  return validateUniqueNames(names, 'key')
    .viaField('params')
    .also(
      allErrors(
        params.map(({ name, value }) => {
          const results = variablesInValue(value).filter(looksLikeResult);
          if (!results.some((each) => resultReference(each))) return undefined;
          const message = `cannot use result expressions in [${results.join(' ')}] as PipelineRun parameter values`;
          return invalidValue(message, 'value').viaFieldKey('params', name);
        }),
      ),
    );
}

/** Fields with other names in the older version. */
type AnyTaskRunSpec = PipelineTaskRunSpec & { readonly taskPodTemplate?: PodTemplate };

function validateTaskRunSpec(spec: AnyTaskRunSpec, timeouts: PipelineRunSpec['timeouts'], rules: Rules): FieldErrors {
  const env = (spec.podTemplate ?? spec.taskPodTemplate)?.env ?? [];
  return allErrors([
    validateOverrides(spec, rules),
    validateEnv(env, rules),
    validateTaskRunSpecTimeout(spec.timeout, timeouts, rules),
  ]);
}

function validateWorkspaces(workspaces: readonly WorkspaceBinding[]): FieldErrors {
  const places = new Map<string, number>();
  return allErrors(
    workspaces.map((binding, index) => {
      const before = places.get(binding.name);
      places.set(binding.name, index);
      const double = `workspace ${quoteGo(binding.name)} provided by pipelinerun more than once, at index ${before} and ${index}`;
      return noFieldErrors
        .also(validateBinding(binding), before === undefined ? undefined : genericError(double, 'name'))
        .viaFieldIndex('workspaces', index);
    }),
  );
}

/** The older version validates the workspaces of tasks within the run, whose names count as known from then on. */
function validatePropagatedWorkspaces({ pipelineSpec, workspaces = [] }: PipelineRunSpec): FieldErrors | undefined {
  if (!pipelineSpec) return undefined;
  const names = new Set([...workspaces, ...(pipelineSpec.workspaces ?? [])].map(({ name }) => name));
  const lists = [pipelineSpec.tasks ?? [], pipelineSpec.finally ?? []];
  return allErrors(
    lists.flatMap((tasks) =>
      tasks.map((task, index) => {
        for (const { name } of task.workspaces ?? []) names.add(name);
        return validateTaskWorkspaces(task, names).viaIndex(index);
      }),
    ),
  );
}
