import type { KubeObject } from '@tektite/meta';
import {
  buildGraph,
  type ChildReference,
  type CustomRun,
  isGraphError,
  type PipelineRun,
  type PipelineTask,
  type TaskRun,
} from '@tektite/pipelines/runs';
import { fitTree } from './run-spans.ts';
import type { RunNode } from './run-node.ts';
import { conditionOf, failureNote, spanOf, stateOf, taskRunNode } from './run-tree.ts';

/** Finds a part of a run, if it is known yet. */
export type FindRun = (kind: string, name: string) => KubeObject | undefined;

/** A PipelineRun: its tasks in the order of the Pipeline, those that wait and those that were skipped too. */
export function pipelineRunNode(run: PipelineRun, find: FindRun, name: string = run.metadata.name ?? ''): RunNode {
  const { status } = run;
  const condition = conditionOf(run);
  const state = stateOf(condition);
  const id = `PipelineRun/${run.metadata.name}`;
  const note = failureNote(condition) ?? (status?.pipelineSpec ? undefined : condition?.message);
  const { tasks = [], finally: final = [] } = status?.pipelineSpec ?? {};
  const over = state !== 'running' && state !== 'waiting';
  const nodes = new Map<string, RunNode>();
  const parents = over ? undefined : parentsOf(tasks);
  for (const task of tasks) nodes.set(task.name, taskNode(id, task, run, find, undefined));
  for (const [task, node] of nodes) {
    const waits = node.state === 'waiting' && waitNote(parents?.get(task) ?? [], nodes);
    if (waits) nodes.set(task, { ...node, note: waits });
  }
  const last = final.map((task) => {
    const node = taskNode(id, task, run, find, over ? undefined : 'waits for all others');
    return { ...node, name: `${node.name} (finally)` };
  });
  const times = spanOf(status?.startTime, status?.completionTime);
  return fitTree({ id, name, state, ...(note ? { note } : {}), ...times, children: [...nodes.values(), ...last] });
}

function taskNode(
  id: string,
  task: PipelineTask,
  { status }: PipelineRun,
  find: FindRun,
  waits: string | undefined,
): RunNode {
  const own = (status?.childReferences ?? []).filter(({ pipelineTaskName }) => pipelineTaskName === task.name);
  const [only] = own;
  if (only && own.length === 1 && !task.matrix) return childNode(only, task.name, find);
  const base = { id: `${id}/${task.name}`, name: task.name };
  if (own.length > 0) return fanOut(base, own, find);
  const skipped = status?.skippedTasks?.find(({ name }) => name === task.name);
  if (skipped) return { ...base, state: 'skipped', note: skipped.reason, children: [] };
  return { ...base, state: 'waiting', ...(waits ? { note: waits } : {}), children: [] };
}

/** A matrix: one node over as many as there are combinations. */
function fanOut(base: Pick<RunNode, 'id' | 'name'>, references: readonly ChildReference[], find: FindRun): RunNode {
  const children = references.map((each) => childNode(each, memberName(base.name, each), find));
  const has = (state: RunNode['state']) => children.some((child) => child.state === state);
  const state =
    has('running') || has('waiting')
      ? 'running'
      : has('failed')
        ? 'failed'
        : has('cancelled')
          ? 'cancelled'
          : 'succeeded';
  return { ...base, state, children };
}

/** `build-2`, and what its author calls it. */
function memberName(task: string, { name, displayName }: ChildReference): string {
  const number = /-(\d+)$/.exec(name)?.[1];
  const short = number === undefined ? name : `${task}-${number}`;
  return displayName ? `${short} (${displayName})` : short;
}

function childNode({ kind = 'TaskRun', name: object }: ChildReference, name: string, find: FindRun): RunNode {
  const run = find(kind, object);
  if (!run) return { id: `${kind}/${object}`, name, state: 'waiting', children: [] };
  if (kind === 'TaskRun') return taskRunNode(run as TaskRun, name);
  if (kind === 'PipelineRun') return pipelineRunNode(run as PipelineRun, find, name);
  const { status } = run as CustomRun;
  const condition = conditionOf(run as CustomRun);
  const note = failureNote(condition) ?? condition?.message;
  const times = spanOf(status?.startTime, status?.completionTime);
  return {
    id: `${kind}/${object}`,
    name,
    state: stateOf(condition),
    ...(note ? { note } : {}),
    ...times,
    children: [],
  };
}

/** The tasks that a task waits for and that have not completed. */
function waitNote(parents: readonly string[], nodes: ReadonlyMap<string, RunNode>): string | undefined {
  const waiting = parents.filter((name) => {
    const state = nodes.get(name)?.state;
    return state === 'waiting' || state === 'running';
  });
  return waiting.length > 0 ? `waits for ${waiting.join(', ')}` : undefined;
}

/** The tasks of a PipelineRun, each after those that it waits for; final tasks come last. */
export function taskOrder({ status }: PipelineRun): readonly string[] {
  const { tasks = [], finally: final = [] } = status?.pipelineSpec ?? {};
  const parents = parentsOf(tasks);
  const order = parents ? buildGraph(tasks).order : tasks.map(({ name }) => name);
  return [...order, ...final.map(({ name }) => name)];
}

/** Nothing for what is no graph: such a run fails, and says so itself. */
function parentsOf(tasks: readonly PipelineTask[]): ReadonlyMap<string, readonly string[]> | undefined {
  try {
    return buildGraph(tasks).parents;
  } catch (error) {
    if (isGraphError(error)) return undefined;
    throw error;
  }
}
