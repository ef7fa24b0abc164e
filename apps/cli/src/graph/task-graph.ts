import type { KubeObject } from '@tektite/meta';
import { buildGraph, isGraphError, type PipelineSpec } from '@tektite/pipelines';
import type { RunNode, RunState, RunTimes } from '@tektite/dashboard/run';
import { UserError } from '../user-error.ts';

/** The tasks of a pipeline, and which waits for which. */
export interface TaskGraph {
  readonly name: string;
  /** Each after everything that it waits for. */
  readonly tasks: readonly GraphTask[];
  readonly final: readonly FinalTask[];
}

/** How a task of a run went so far. */
export interface TaskProgress {
  readonly state: RunState;
  readonly tookMs?: number;
}

export interface FinalTask {
  readonly name: string;
  readonly progress?: TaskProgress;
}

export interface GraphTask extends FinalTask {
  readonly parents: readonly string[];
  /** How many steps from the start: tasks with the same number can run at once. */
  readonly level: number;
}

interface PipelineDocument extends KubeObject {
  readonly spec?: PipelineSpec & {
    readonly pipelineSpec?: PipelineSpec;
    readonly pipelineRef?: { readonly name?: string };
  };
  readonly status?: { readonly pipelineSpec?: PipelineSpec };
}

/** The pipelines among documents. A PipelineRun whose Pipeline is among them is not shown twice. */
export function graphsOf(documents: readonly KubeObject[]): readonly TaskGraph[] {
  const graphs: TaskGraph[] = [];
  for (const document of documents as readonly PipelineDocument[]) {
    const { apiVersion, kind, metadata, spec, status } = document;
    if (!apiVersion.startsWith('tekton.dev/')) continue;
    const pipeline =
      kind === 'Pipeline' ? spec : kind === 'PipelineRun' ? (status?.pipelineSpec ?? spec?.pipelineSpec) : undefined;
    if (pipeline) graphs.push(graphOf(metadata.name ?? metadata.generateName ?? kind, pipeline));
  }
  return graphs;
}

/** The same graph with the states and times of a run of it. */
export function withProgress(graph: TaskGraph, run: RunNode, times: RunTimes, now: number): TaskGraph {
  const nodes = new Map(run.children.map((node) => [node.name.replace(/ \(finally\)$/, ''), node]));
  const add = <T extends FinalTask>(task: T): T => {
    const node = nodes.get(task.name);
    if (!node) return task;
    const span = times.spanOf(node) ?? wholeSpan(node, times);
    const took = span && node.state !== 'skipped' ? { tookMs: (span.ended ?? now) - span.began } : {};
    return { ...task, progress: { state: node.state, ...took } };
  };
  return { ...graph, tasks: graph.tasks.map(add), final: graph.final.map(add) };
}

/** A matrix has no times; its span covers all its runs. */
function wholeSpan(node: RunNode, times: RunTimes): ReturnType<RunTimes['spanOf']> {
  const spans = node.children.flatMap((child) => times.spanOf(child) ?? []);
  if (spans.length === 0) return undefined;
  const began = Math.min(...spans.map((span) => span.began));
  const ends = spans.map((span) => span.ended);
  return ends.includes(undefined) ? { began } : { began, ended: Math.max(...(ends as number[])) };
}

function graphOf(name: string, { tasks = [], finally: final = [] }: PipelineSpec): TaskGraph {
  try {
    const { parents, order } = buildGraph(tasks);
    const levels = new Map<string, number>();
    const placed = order.map((task) => {
      const names = parents.get(task) ?? [];
      const level = Math.max(0, ...names.map((parent) => (levels.get(parent) ?? 0) + 1));
      levels.set(task, level);
      return { name: task, parents: names, level };
    });
    return { name, tasks: placed, final: final.map((task) => ({ name: task.name })) };
  } catch (error) {
    if (isGraphError(error)) throw new UserError(`${name}: ${error.message}`, 2);
    throw error;
  }
}
