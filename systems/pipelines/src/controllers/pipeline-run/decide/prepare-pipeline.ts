import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineSpec } from '../../../kinds/pipeline-spec.ts';
import { contextVariables } from './context-variables.ts';
import { buildFinalGraph, buildGraph, type Graph, isGraphError } from '../../../pipeline/graph.ts';
import { ParamReferenceError, pipelineParams } from './pipeline-params.ts';
import { replaceInPipeline } from './replace-in-pipeline.ts';
import { validatePipelineRun } from './validate-pipeline-run.ts';
import { replaceText } from '../../../substitution/replace-text.ts';
import { withinLimit } from '../../../substitution/size-limit.ts';
import { stringReplacements } from '../../../substitution/replacements.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { defaultPipelineSpec } from '../../../rules/defaults/default-pipeline.ts';
import type { Rules } from '../../../rules/rules.ts';
import { validatePipelineSpec } from '../../../rules/validation/validate-pipeline.ts';
import type { FoundPipeline, PipelineRunObservation } from './observation.ts';

/** A validated Pipeline with the params, names and workspaces of its run replaced. */
export interface PreparedPipeline {
  readonly spec: PipelineSpec;
  readonly graph: Graph;
}

type Settings = Pick<PipelineRunObservation, 'flags' | 'defaults'>;

/** Prepared Pipelines by the uid of their runs. They hold as long as the generation of the run does. */
export class PreparedPipelines {
  private readonly known = new Map<string, { readonly generation: number; readonly prepared: PreparedPipeline }>();

  /** Prepares a Pipeline once per generation. */
  prepare(run: PipelineRun, found: FoundPipeline, settings: Settings): PreparedPipeline {
    const { uid = '', generation = 0 } = run.metadata;
    const known = this.known.get(uid);
    if (known?.generation === generation && run.status?.childReferences) return known.prepared;
    const prepared = preparePipeline(run, found, settings);
    this.known.delete(uid);
    this.known.set(uid, { generation, prepared });
    const [oldest] = this.known.keys();
    if (this.known.size > maxEntries && oldest !== undefined) this.known.delete(oldest);
    return prepared;
  }

  forget({ metadata }: PipelineRun): void {
    this.known.delete(metadata.uid ?? '');
  }
}

/** Seldom are more runs in progress at a time. */
const maxEntries = 1000;

/** Validates a Pipeline against its run and replaces params, names and workspaces. Throws a `RunFailure`. */
function preparePipeline(
  run: PipelineRun,
  { spec, metadata }: FoundPipeline,
  { flags, defaults }: Settings,
): PreparedPipeline {
  const { namespace = '', name = '' } = run.metadata;
  const pipeline = metadata.name ?? '';
  const graph = graphOf(spec, `${namespace}/${name}`);
  // A started run is not validated again: settings may have changed since.
  if (!run.status?.childReferences)
    validateSpec(spec, `${metadata.namespace ?? ''}/${pipeline}`, { flags, defaults, version: 'v1', isCreate: false });
  validatePipelineRun(spec, run.spec, { namespace, run: name, pipeline }, { withEnums: flags.enableParamEnum });
  const prepared = withinLimit('PipelineValidationFailed', () => {
    const withParams = applyParams(spec, run, `${namespace}/${pipeline}`);
    const context = contextVariables(pipeline, run);
    const withContext = withDisplayNames(replaceInPipeline(withParams, context), context);
    return replaceInPipeline(withContext, workspaceVariables(spec, run));
  });
  validateOnError(prepared, `${metadata.namespace ?? ''}/${pipeline}`);
  return { spec: prepared, graph };
}

/** Repeats the validation of the webhook: a Pipeline may be older than the settings, and a remote one never passed admission. */
function validateSpec(spec: PipelineSpec, pipeline: string, rules: Rules): void {
  const errors = validatePipelineSpec(defaultPipelineSpec(spec, rules), rules);
  if (!errors.isEmpty) throw invalidSpec(pipeline, errors.toString());
}

function invalidSpec(pipeline: string, violation: string): RunFailure {
  return new RunFailure(
    'PipelineValidationFailed',
    `[User error] Pipeline ${pipeline} can't be Run; it has an invalid spec: ${violation}`,
    { cause: new Error(violation) },
  );
}

function graphOf({ tasks = [], finally: final = [] }: PipelineSpec, run: string): Graph {
  const fail = (error: unknown, clause: string) => {
    if (!isGraphError(error)) return error;
    const message = `[User error] PipelineRun ${run}'s Pipeline DAG is invalid${clause}: ${error.message}`;
    return new RunFailure('PipelineInvalidGraph', message, { cause: error });
  };
  let graph: Graph;
  try {
    graph = buildGraph(tasks);
  } catch (error) {
    throw fail(error, '');
  }
  try {
    buildFinalGraph(final);
  } catch (error) {
    throw fail(error, ' for finally clause');
  }
  return graph;
}

function applyParams(spec: PipelineSpec, { spec: { params = [] } }: PipelineRun, pipeline: string): PipelineSpec {
  try {
    return replaceInPipeline(spec, pipelineParams(spec.params ?? [], params));
  } catch (error) {
    if (!(error instanceof ParamReferenceError)) throw error;
    const message = `[User error] Failed to apply parameters to Pipeline ${pipeline}: ${error.message}`;
    throw new RunFailure('PipelineValidationFailed', message, { cause: error });
  }
}

/** Display names of matrix runs keep their own variables and get those of the context. */
function withDisplayNames(spec: PipelineSpec, context: ReturnType<typeof contextVariables>): PipelineSpec {
  const replace = (tasks: PipelineSpec['tasks'] = []) =>
    tasks.map((task) => (task.displayName ? { ...task, displayName: replaceText(task.displayName, context) } : task));
  return {
    ...spec,
    ...(spec.tasks ? { tasks: replace(spec.tasks) } : {}),
    ...(spec.finally ? { finally: replace(spec.finally) } : {}),
  };
}

function workspaceVariables(spec: PipelineSpec, run: PipelineRun): ReturnType<typeof stringReplacements> {
  const bound = (run.spec.workspaces ?? []).map(({ name }) => [`workspaces.${name}.bound`, 'true'] as const);
  const declared = (spec.workspaces ?? []).map(({ name }) => [`workspaces.${name}.bound`, 'false'] as const);
  return stringReplacements([...declared, ...bound]);
}

/** A variable may have been replaced by an invalid value. */
function validateOnError({ tasks = [], finally: final = [] }: PipelineSpec, pipeline: string): void {
  for (const { onError = '', retries = 0 } of [...tasks, ...final]) {
    if (onError === '' || onError.includes('$(')) continue;
    const violation =
      onError !== 'continue' && onError !== 'stopAndFail'
        ? `invalid value: ${onError}: OnError\nPipelineTask OnError must be either "continue" or "stopAndFail"`
        : onError === 'continue' && retries > 0
          ? 'PipelineTask OnError cannot be set to "continue" when Retries is greater than 0: '
          : undefined;
    if (violation !== undefined) throw invalidSpec(pipeline, violation);
  }
}
