import { formatWithoutArguments } from '@tektite/go';
import { controllerOf, isStatusError, quoteGo } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { CachedPipelineRun } from '../../../cache/cache-transforms.ts';
import { CustomRun, PipelineRun as PipelineRunKind, TaskRun } from '../../../kinds/kinds.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { assistantOf, runClaimName } from '../decide/affinity-assistant.ts';
import { childPipelineRunFor, type ChildSettings, customRunFor, taskRunFor } from '../children/child-objects.ts';
import type { ChildRun } from '../children/child-run.ts';
import { withTaskContext } from '../children/child-variables.ts';
import { WorkspaceError } from '../children/child-workspaces.ts';
import type { PipelineFacts } from '../decide/facts.ts';
import { fanOut } from '../../../pipeline/matrix.ts';
import type { TaskState } from '../decide/task-state.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { enumMistake } from '../../../params/validate-params.ts';
import { childTrace, taskRunTrace } from '../../../status/span-context.ts';
import type { PipelineRunServices } from '../pipeline-run-services.ts';

const kindOf = { TaskRun, CustomRun, PipelineRun: PipelineRunKind } as const;
const events = {
  TaskRun: { reason: 'TaskRunsCreationFailed', words: 'TaskRuns' },
  CustomRun: { reason: 'RunsCreationFailed', words: 'CustomRuns' },
  PipelineRun: { reason: 'ChildPipelineRunsCreationFailed', words: 'child (PIP) PipelineRuns' },
} as const;

/** The runs of a task that are to be created, one for each place in its matrix. */
export interface ChildDrafts {
  readonly state: TaskState;
  readonly drafts: readonly ChildRun[];
}

/** What has to be created for a task. Throws a `RunFailure` when that can never work. */
export function draftChildren(
  state: TaskState,
  run: PipelineRun,
  facts: PipelineFacts,
  services: PipelineRunServices,
): ChildDrafts {
  try {
    state.task = withTaskContext(state.task, facts);
    const there = new Set(state.runs.map(({ metadata }) => metadata.name));
    const drafts = childrenOf(state, run, facts, services).filter(({ metadata }) => !there.has(metadata.name));
    const trace = state.kind === 'TaskRun' ? childTrace(run.status?.spanContext) : undefined;
    return { state, drafts: trace === undefined ? drafts : drafts.map((draft) => withTrace(draft, trace)) };
  } catch (error) {
    throw tell(state, error, services);
  }
}

function withTrace(draft: ChildRun, trace: string): ChildRun {
  const { metadata } = draft;
  return { ...draft, metadata: { ...metadata, annotations: { ...metadata.annotations, [taskRunTrace]: trace } } };
}

/** Creates the runs of tasks, several at a time. Throws a `RunFailure` when that can never work. */
export async function createChildren(
  tasks: readonly ChildDrafts[],
  run: PipelineRun,
  services: PipelineRunServices,
): Promise<void> {
  const failures: unknown[] = [];
  const created = new Map<TaskState, ChildRun[]>(tasks.map(({ state }) => [state, []]));
  const work = tasks.flatMap(({ state, drafts }) => drafts.map((draft, index) => ({ state, draft, index })));
  await inParallel(work, inFlight, async ({ state, draft, index }) => {
    if (failures.length > 0) return;
    try {
      const child = await createChild(draft, run, services);
      const children = created.get(state);
      if (children) children[index] = child;
    } catch (error) {
      failures.push(tell(state, error, services));
    }
  });
  if (failures.length > 0) throw failures[0];
  for (const [state, children] of created) {
    state.runs = inOrder([...state.runs, ...children], state.names);
    state.isIncomplete = false;
  }
}

function inOrder(runs: readonly ChildRun[], names: readonly string[]): readonly ChildRun[] {
  const byName = new Map(runs.map((run) => [run.metadata.name, run]));
  return names.flatMap((name) => byName.get(name) ?? []);
}

const inFlight = 16;

async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** Tells the users why runs cannot be created. Returns what ends the run, or what may go by itself. */
function tell(state: TaskState, error: unknown, { context }: PipelineRunServices): unknown {
  const failure = creationFailure(error);
  const { reason, words } = events[state.kind];
  const names = `[${state.names.map(quoteGo).join(' ')}]`;
  const told = failure instanceof RunFailure && failure.cause instanceof Error ? failure.cause : failure;
  const message = `Failed to create ${words} ${names}: ${told instanceof Error ? told.message : String(told)}`;
  context.event({ type: 'Warning', reason, message });
  return failure;
}

function childrenOf(
  state: TaskState,
  run: PipelineRun,
  facts: PipelineFacts,
  services: PipelineRunServices,
): readonly ChildRun[] {
  const { task, names, kind } = state;
  const { flags, defaults } = services;
  const settings: ChildSettings = {
    timeouts: facts.stopwatch.timeouts,
    defaultTimeoutMinutes: defaults.timeoutMinutes,
    claimNameOf: (binding) => runClaimName(binding, run, flags),
    assistantOf: (workspace) => assistantOf(workspace, run, flags),
  };
  if (kind === 'PipelineRun') {
    if (task.pipelineRef && state.resolved.name) checkForCircle(run, state.resolved.name, services);
    return names.map((name) => childPipelineRunFor(name, state, run, settings));
  }
  const combinations = task.matrix ? fanOut(task.matrix) : [];
  const paramsOf = (index: number) => combinations[index] ?? [];
  if (kind === 'CustomRun')
    return names.map((name, index) => customRunFor(name, paramsOf(index), state, run, settings));
  if (flags.enableParamEnum)
    for (const index of names.keys()) {
      const mistake = enumMistake(state.resolved.taskSpec?.params ?? [], [...paramsOf(index), ...(task.params ?? [])]);
      if (mistake === undefined) continue;
      const message = `[User error] Invalid param value from PipelineTask "${task.name}": ${mistake}`;
      throw new RunFailure('InvalidParamValue', message, { cause: new Error(mistake) });
    }
  return names.map((name, index) => taskRunFor(name, paramsOf(index), state, run, settings));
}

async function createChild(
  draft: ChildRun,
  run: PipelineRun,
  { context: { client, signal } }: PipelineRunServices,
): Promise<ChildRun> {
  const kind = kindOf[draft.kind as keyof typeof kindOf] as unknown as Kind<ChildRun>;
  try {
    return await client.create(kind, draft, { signal });
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const { namespace = '', name = '' } = draft.metadata;
    const found = await client.get(kind, { namespace, name }, { signal });
    // One that was created before somebody died who did not know it yet.
    if (controllerOf(found)?.uid === run.metadata.uid) return found;
    throw error;
  }
}

/** What will be the same the next time ends the run. */
function creationFailure(error: unknown): unknown {
  if (error instanceof RunFailure) return error;
  const isLasting =
    error instanceof WorkspaceError || isStatusError(error, 'Invalid') || isStatusError(error, 'BadRequest');
  if (!isLasting || !(error instanceof Error)) return error;
  return new RunFailure('CreateRunFailed', formatWithoutArguments(error.message), { cause: error });
}

/** A Pipeline that runs itself would never end. */
function checkForCircle(run: PipelineRun, pipeline: string, { context, children }: PipelineRunServices): void {
  const visited: string[] = [];
  const seen = new Set<string>();
  for (let current: CachedPipelineRun | undefined = run; current; ) {
    const label: string = current.metadata.labels?.['tekton.dev/pipeline'] ?? '';
    if (label === pipeline) {
      const message = `detected cycle in pipeline-in-pipeline: pipeline ${quoteGo(pipeline)} is already running in ancestor chain [${visited.join(' ')}]`;
      throw new RunFailure('CreateRunFailed', message, { cause: new Error(message) });
    }
    if (label !== '') visited.push(label);
    const owner = controllerOf(current);
    if (owner?.kind !== 'PipelineRun' || seen.has(owner.uid)) return;
    seen.add(owner.uid);
    current = context.cache(children.pipelineRuns).get(`${current.metadata.namespace ?? ''}/${owner.name}`);
  }
}
