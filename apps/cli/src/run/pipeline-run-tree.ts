import type { KubeObject } from '@tektite/meta';
import type { ChildReference, CustomRun, PipelineRun, PipelineTask, TaskRun } from '@tektite/pipelines';
import { conditionOf, failureNote, type RunNode, stateOf, taskRunNode } from './run-tree.ts';

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
  for (const task of tasks) nodes.set(task.name, taskNode(id, task, run, find, waitNote(task, nodes, over)));
  const last = final.map((task) => {
    const node = taskNode(id, task, run, find, over ? undefined : 'waits for all others');
    return { ...node, name: `${node.name} (finally)` };
  });
  return { id, name, state, ...(note ? { note } : {}), children: [...nodes.values(), ...last] };
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
  const children = references.map((each) => childNode(each, each.displayName || each.name, find));
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

function childNode({ kind = 'TaskRun', name: object }: ChildReference, name: string, find: FindRun): RunNode {
  const run = find(kind, object);
  if (!run) return { id: `${kind}/${object}`, name, state: 'waiting', children: [] };
  if (kind === 'TaskRun') return taskRunNode(run as TaskRun, name);
  if (kind === 'PipelineRun') return pipelineRunNode(run as PipelineRun, find, name);
  const condition = conditionOf(run as CustomRun);
  const note = failureNote(condition) ?? condition?.message;
  return { id: `${kind}/${object}`, name, state: stateOf(condition), ...(note ? { note } : {}), children: [] };
}

/** Whom a task that has not begun waits for, as far as they are not done. */
function waitNote(task: PipelineTask, before: ReadonlyMap<string, RunNode>, over: boolean): string | undefined {
  if (over) return undefined;
  const waiting = parentsOf(task).filter((name) => {
    const state = before.get(name)?.state;
    return state === undefined || state === 'waiting' || state === 'running';
  });
  return waiting.length > 0 ? `waits for ${waiting.join(', ')}` : undefined;
}

function parentsOf(task: PipelineTask): readonly string[] {
  return task.runAfter ?? [];
}
