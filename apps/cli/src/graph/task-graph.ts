import type { KubeObject } from '@tektite/meta';
import { buildGraph, GraphError, type PipelineSpec } from '@tektite/pipelines';
import { UserError } from '../user-error.ts';

/** The tasks of a pipeline, and which waits for which. */
export interface TaskGraph {
  readonly name: string;
  /** Each after everything that it waits for. */
  readonly tasks: readonly GraphTask[];
  readonly final: readonly string[];
}

export interface GraphTask {
  readonly name: string;
  readonly parents: readonly string[];
  /** How many steps from the beginning: what has the same number can run at once. */
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
    return { name, tasks: placed, final: final.map((task) => task.name) };
  } catch (error) {
    if (error instanceof GraphError) throw new UserError(`${name}: ${error.message}`, 2);
    throw error;
  }
}
