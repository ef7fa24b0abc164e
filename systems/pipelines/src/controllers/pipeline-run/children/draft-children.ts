import type { EventText } from '@tektite/controller/events';
import { isStatusError, quoteGo } from '@tektite/meta';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { formatWithoutArguments } from '@tektite/go';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { enumError } from '../../../params/validate-params.ts';
import { fanOut } from '../../../pipeline/matrix.ts';
import { childTrace, taskRunTrace } from '../../../status/span-context.ts';
import { replaceInBindings } from '../../../workspace/replace-in-bindings.ts';
import { assistantOf, runClaimName } from '../decide/affinity-assistant.ts';
import type { ChildRun } from '../decide/child-run.ts';
import type { PipelineFacts } from '../decide/facts.ts';
import type { PipelineRunObservation } from '../decide/observation.ts';
import type { TaskState } from '../decide/task-state.ts';
import { matrixError } from '../decide/validate-tasks.ts';
import { childPipelineRunFor, type ChildSettings, customRunFor, taskRunFor } from './child-objects.ts';
import { Legacy, withTaskContext } from './child-variables.ts';
import { WorkspaceError } from './child-workspaces.ts';

/** The runs to create for tasks that start. */
export interface ChildDrafts {
  readonly children: readonly { readonly state: TaskState; readonly draft: ChildRun }[];
  /** The tasks that get all their runs by this. */
  readonly states: readonly TaskState[];
  /** The first task that cannot start. Tasks before it start, tasks after it do not. */
  readonly failure?: { readonly error: unknown; readonly event?: EventText };
}

type Settings = Pick<PipelineRunObservation, 'flags' | 'defaults' | 'ancestors'>;

/** The runs of tasks that start: one for each task, one for each combination of a matrix. */
export function draftChildren(
  states: readonly TaskState[],
  run: PipelineRun,
  facts: PipelineFacts,
  settings: Settings,
): ChildDrafts {
  const legacy = new Legacy(facts);
  const { workspaces } = run.spec;
  const bound = workspaces
    ? { ...run, spec: { ...run.spec, workspaces: replaceInBindings(workspaces, legacy.results) } }
    : run;
  const violation = states.some((state) => state.isMatrixed()) ? matrixError(facts.states) : undefined;
  const drafted: TaskState[] = [];
  const children: { readonly state: TaskState; readonly draft: ChildRun }[] = [];
  for (const state of states) {
    if (violation !== undefined && state.isMatrixed())
      return { children, states: drafted, failure: { error: matrixFailure(violation) } };
    try {
      legacy.inherit(state);
      for (const draft of draftTask(state, bound, facts, settings)) children.push({ state, draft });
      drafted.push(state);
    } catch (error) {
      return { children, states: drafted, failure: creationFailure(state, error) };
    }
  }
  return { children, states: drafted };
}

/** The runs of a task that do not exist yet. */
function draftTask(state: TaskState, run: PipelineRun, facts: PipelineFacts, settings: Settings): readonly ChildRun[] {
  state.task = withTaskContext(state.task, facts);
  const existing = new Set(state.runs.map(({ metadata }) => metadata.name));
  const drafts = childrenOf(state, run, facts, settings).filter(({ metadata }) => !existing.has(metadata.name));
  const trace = state.kind === 'TaskRun' ? childTrace(run.status?.spanContext) : undefined;
  return trace === undefined ? drafts : drafts.map((draft) => withTrace(draft, trace));
}

function withTrace(draft: ChildRun, trace: string): ChildRun {
  const { metadata } = draft;
  return { ...draft, metadata: { ...metadata, annotations: { ...metadata.annotations, [taskRunTrace]: trace } } };
}

function childrenOf(
  state: TaskState,
  run: PipelineRun,
  facts: PipelineFacts,
  { flags, defaults, ancestors }: Settings,
): readonly ChildRun[] {
  const { task, names, kind } = state;
  const settings: ChildSettings = {
    timeouts: facts.stopwatch.timeouts,
    defaultTimeoutMinutes: defaults.timeoutMinutes,
    claimNameOf: (binding) => runClaimName(binding, run, flags),
    assistantOf: (workspace) => assistantOf(workspace, run, flags),
  };
  if (kind === 'PipelineRun') {
    if (task.pipelineRef && state.resolved.name) requireNoCycle([run, ...ancestors], state.resolved.name);
    return names.map((name) => childPipelineRunFor(name, state, run, settings));
  }
  const combinations = task.matrix ? fanOut(task.matrix) : [];
  const paramsOf = (index: number) => combinations[index] ?? [];
  if (kind === 'CustomRun')
    return names.map((name, index) => customRunFor(name, paramsOf(index), state, run, settings));
  if (flags.enableParamEnum)
    for (const index of names.keys()) {
      const violation = enumError(state.resolved.taskSpec?.params ?? [], [...paramsOf(index), ...(task.params ?? [])]);
      if (violation === undefined) continue;
      const message = `[User error] Invalid param value from PipelineTask "${task.name}": ${violation}`;
      throw new RunFailure('InvalidParamValue', message, { cause: new Error(violation) });
    }
  return names.map((name, index) => taskRunFor(name, paramsOf(index), state, run, settings));
}

/** A Pipeline that runs itself would never end. */
function requireNoCycle(runs: readonly Pick<PipelineRun, 'metadata'>[], pipeline: string): void {
  const visited: string[] = [];
  for (const { metadata } of runs) {
    const label = metadata.labels?.['tekton.dev/pipeline'] ?? '';
    if (label === pipeline) {
      const message = `detected cycle in pipeline-in-pipeline: pipeline ${quoteGo(pipeline)} is already running in ancestor chain [${visited.join(' ')}]`;
      throw new RunFailure('CreateRunFailed', message, { cause: new Error(message) });
    }
    if (label !== '') visited.push(label);
  }
}

/** Upstream's message does not name the task. */
function matrixFailure(violation: string): RunFailure {
  const message = `[User error] Failed to validate matrix ${quoteGo(violation)} with error %!v(MISSING)`;
  return new RunFailure('InvalidMatrixParameterTypes', message, { cause: new Error(violation) });
}

const eventTexts = {
  TaskRun: { reason: 'TaskRunsCreationFailed', words: 'TaskRuns' },
  CustomRun: { reason: 'RunsCreationFailed', words: 'CustomRuns' },
  PipelineRun: { reason: 'ChildPipelineRunsCreationFailed', words: 'child (PIP) PipelineRuns' },
} as const;

/** The error of a run that cannot be created, terminal or transient, and the Event that reports it. */
export function creationFailure(
  state: TaskState,
  error: unknown,
): { readonly error: unknown; readonly event: EventText } {
  const failure = terminalError(error);
  const { reason, words } = eventTexts[state.kind];
  const names = `[${state.names.map(quoteGo).join(' ')}]`;
  const shown = failure instanceof RunFailure && failure.cause instanceof Error ? failure.cause : failure;
  const message = `Failed to create ${words} ${names}: ${shown instanceof Error ? shown.message : String(shown)}`;
  return { error: failure, event: { type: 'Warning', reason, message } };
}

/** An error that the next attempt would repeat is terminal. */
function terminalError(error: unknown): unknown {
  if (error instanceof RunFailure) return error;
  const isTerminal =
    error instanceof WorkspaceError || isStatusError(error, 'Invalid') || isStatusError(error, 'BadRequest');
  if (!isTerminal || !(error instanceof Error)) return error;
  return new RunFailure('CreateRunFailed', formatWithoutArguments(error.message), { cause: error });
}
