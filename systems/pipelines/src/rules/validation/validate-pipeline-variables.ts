import { type FieldErrors, genericError, invalidValue } from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { Param } from '../../kinds/param.ts';
import type { PipelineTask } from '../../kinds/pipeline-spec.ts';
import { isMatrixed } from '../../pipeline/matrix.ts';
import { variablesInValue, variablesInWhen } from '../../pipeline/result-reference.ts';
import { allErrors } from './all-errors.ts';
import { knownVariables } from './validate-variables.ts';

const contexts = [
  knownVariables({ prefix: 'context.pipelineRun', names: new Set(['name', 'namespace', 'uid']) }),
  knownVariables({ prefix: 'context.pipeline', names: new Set(['name']) }),
  knownVariables({ prefix: 'context.pipelineTask', names: new Set(['retries']) }),
];

/** Context variables have to exist. Upstream checks the last task alone. */
export function validateContextVariables(tasks: readonly PipelineTask[]): FieldErrors {
  const last = tasks.at(-1);
  if (!last) return allErrors([]);
  const { params = [], matrix } = last;
  const all = [...params, ...(matrix?.params ?? []), ...(matrix?.include ?? []).flatMap((each) => each.params ?? [])];
  const texts = textsOf(all);
  return allErrors(contexts.flatMap((check) => texts.map((text) => check(text)?.viaField('value'))));
}

function textsOf(params: readonly Param[]): readonly string[] {
  return params.flatMap(({ value }) => (typeof value === 'string' ? [value] : Object.values(value)));
}

const artifact = /\$\(tasks\.[^.]+\.(?:inputs|outputs)\.[^.)]+\)/;

/** Only the first use of artifacts is reported. */
export function validateArtifactVariables(
  tasks: readonly PipelineTask[],
  final: readonly PipelineTask[],
): FieldErrors | undefined {
  const message = 'feature flag enable-artifacts should be set to true to use artifacts feature.';
  for (const [part, list] of [['tasks', tasks] as const, ['finally', final] as const])
    for (const [index, { params = [] }] of list.entries())
      if (textsOf(params).some((text) => artifact.test(text)))
        return genericError(message, '').viaField('params').viaFieldIndex(part, index);
  return undefined;
}

const prefixes = new Set(['params', 'tasks', 'finally', 'context', 'workspaces', 'results']);

/** A variable whose first word means nothing is most likely one of a shell's, which has no place here. */
export function validatePrefixes(tasks: readonly PipelineTask[]): FieldErrors {
  return allErrors(tasks.map((task, index) => allErrors(prefixErrors(task)).viaIndex(index)));
}

function prefixErrors(task: PipelineTask): readonly FieldErrors[] {
  const { params = [], when = [], matrix } = task;
  const ofParams = (list: readonly Param[], field: string) =>
    list.flatMap(({ name, value }) =>
      unknown(variablesInValue(value), 'value').map((each) => each.viaFieldKey(field, name)),
    );
  return [
    ...ofParams(params, 'params'),
    ...when.flatMap((each, index) => unknown(variablesInWhen(each), '').map((one) => one.viaFieldIndex('when', index))),
    ...(isMatrixed(task) ? ofParams(matrix?.params ?? [], 'matrix.params') : []),
    ...(matrix?.include ?? []).flatMap((include, index) =>
      ofParams(include.params ?? [], 'params').map((each) => each.viaFieldIndex('matrix.include', index)),
    ),
  ];
}

function unknown(variables: readonly string[], path: string): readonly FieldErrors[] {
  return variables
    .filter((name) => !prefixes.has(name.split('.', 1)[0] ?? ''))
    .map((name) =>
      invalidValue(
        `invalid variable reference ${quoteGo(`$(${name})`)}, must start with a valid prefix: params, tasks, finally, context, workspaces, or results; if you meant a shell variable, use \${VAR} instead`,
        path,
      ),
    );
}
