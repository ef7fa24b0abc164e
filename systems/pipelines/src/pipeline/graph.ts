import { defineErrors, quoteGo } from '@tektite/meta';
import type { PipelineTask } from '../kinds/pipeline-spec.ts';
import { resultReferencesOf } from './result-reference.ts';

/** Which tasks wait for which. */
export interface Graph {
  /** The dependencies of each task, by name. Every task is in it. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
  /** All tasks, each after everything that it waits for. */
  readonly order: readonly string[];
}

export const graphErrors = defineErrors('pipelines', 'GraphError', {
  INVALID_GRAPH: {
    when: 'tasks of a Pipeline have the same name, wait for each other, or wait for a task that does not exist',
    fix: 'correct the tasks that the message names',
  },
});

/** Why tasks are no graph: two of the same name, a circle, or one that waits for nothing there is. */
export class GraphError extends graphErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_GRAPH', message, options);
  }
}

/** Whether `error` is a GraphError. */
export function isGraphError(error: unknown): error is GraphError {
  return graphErrors.is(error);
}

/** The dependencies of a task: `runAfter`, and tasks whose results it uses. In alphabetical order. */
function dependenciesOf(task: PipelineTask): readonly string[] {
  const names = new Set(resultReferencesOf(task).map((reference) => reference.task));
  for (const name of task.runAfter ?? []) names.add(name);
  return [...names].sort();
}

/**
 * The order in which tasks can run. Throws a {@link GraphError}.
 *
 * @example
 * buildGraph([{ name: 'build' }, { name: 'test', runAfter: ['build'] }]).parents.get('test') // ['build']
 */
export function buildGraph(tasks: readonly PipelineTask[]): Graph {
  return graphOf(tasks, dependenciesOf);
}

/** Final tasks wait only for all other tasks. */
export function buildFinalGraph(tasks: readonly PipelineTask[]): Graph {
  return graphOf(tasks, () => []);
}

function graphOf(tasks: readonly PipelineTask[], dependencies: (task: PipelineTask) => readonly string[]): Graph {
  const parents = new Map<string, readonly string[]>();
  for (const task of tasks) {
    const { name } = task;
    if (parents.has(name))
      throw new GraphError(`task ${name} is already present in Graph, can't add it again: duplicate pipeline task`);
    parents.set(name, dependencies(task));
  }
  const order = orderOf(parents);
  for (const [name, names] of parents)
    for (const parent of names)
      if (!parents.has(parent))
        throw new GraphError(
          `couldn't add link between ${name} and ${parent}: task ${name} depends on ${parent} but ${parent} wasn't present in Pipeline`,
        );
  return { parents, order };
}

/** Parents before children. Names of tasks that are not there count as done. */
function orderOf(parents: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const waiting = new Map<string, Set<string>>();
  const children = new Map<string, string[]>();
  const order: string[] = [];
  for (const [name, names] of parents) {
    const open = names.filter((parent) => parents.has(parent));
    if (open.length === 0) order.push(name);
    else waiting.set(name, new Set(open));
    for (const parent of open) {
      const known = children.get(parent);
      if (known) known.push(name);
      else children.set(parent, [name]);
    }
  }
  // `order` grows while it is walked: each task that is placed may free others.
  for (const done of order)
    for (const child of children.get(done) ?? []) {
      const open = waiting.get(child);
      if (!open?.delete(done) || open.size > 0) continue;
      waiting.delete(child);
      order.push(child);
    }
  if (waiting.size > 0) throw circleIn(waiting);
  return order;
}

function circleIn(waiting: ReadonlyMap<string, ReadonlySet<string>>): GraphError {
  const [first = ''] = [...waiting.keys()].sort();
  const names = [...(waiting.get(first) ?? [])].sort().map(quoteGo);
  return new GraphError(`cycle detected; task ${quoteGo(first)} depends on ${names.join(', ')}`);
}
