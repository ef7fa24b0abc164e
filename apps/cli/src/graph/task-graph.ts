import type { KubeObject } from '@tektite/meta';
import { buildGraph, isGraphError, type PipelineSpec } from '@tektite/pipelines';
import { type RunNode, type RunState, type RunTimes, wholeSpan } from '@tektite/dashboard/run';
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
    const span = wholeSpan(node, times);
    const took = span && node.state !== 'skipped' ? { tookMs: (span.ended ?? now) - span.began } : {};
    return { ...task, progress: { state: node.state, ...took } };
  };
  return { ...graph, tasks: graph.tasks.map(add), final: graph.final.map(add) };
}

function graphOf(name: string, { tasks = [], finally: final = [] }: PipelineSpec): TaskGraph {
  try {
    const { parents, order } = buildGraph(tasks);
    const placed = order.map((task) => ({ name: task, parents: parents.get(task) ?? [] }));
    return { name, tasks: placed, final: final.map((task) => ({ name: task.name })) };
  } catch (error) {
    if (isGraphError(error)) throw new UserError(`${name}: ${error.message}`, 2);
    throw error;
  }
}
