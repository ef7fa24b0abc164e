import { conditionOf, type RunNode } from '@tektite/dashboard/run';
import { chooseRunOrArchived } from '../archive/choose-run-or-archived.ts';
import { printArchivedLog } from '../archive/print-archived-log.ts';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { readDuration } from '../read-duration.ts';
import type { RunChoice } from '../run/choose-run.ts';
import { printLogs } from '../run/print-logs.ts';
import { readTree } from '../run/read-tree.ts';
import { RunSession } from '../run/run-session.ts';
import { filteredView } from '../run/view/filtered-view.ts';
import { openView } from '../run/view/open-view.ts';
import { stopSignal } from '../stop-signal.ts';
import { UserError } from '../user-error.ts';

export interface LogsOptions extends ClusterChoice, RunChoice {
  readonly follow?: boolean;
  readonly task?: string;
  readonly step?: string;
  readonly since?: string;
  readonly output: string;
}

/** `tektite logs RUN`: prints the logs of the steps of a run. With -f, goes on until the run has completed. */
export async function logs(name: string | undefined, options: LogsOptions): Promise<void> {
  const sinceSeconds = readSince(options.since);
  using view = openView(options.output);
  const stopped = stopSignal();
  const abort = new AbortController();
  void stopped.promise.then(() => abort.abort(new UserError('stopped; the run goes on', 130)));
  try {
    await withCluster(options, async (client) => {
      const choice = await chooseRunOrArchived(client, name, options);
      if ('archive' in choice) return printArchivedLog(choice, options);
      const { run } = choice;
      checkParts(await readTree(client, run), options);
      const shown = filteredView(view, options);
      const hasCompleted = (conditionOf(run)?.status ?? 'Unknown') !== 'Unknown';
      if (options.follow || hasCompleted)
        return void (await new RunSession(client, shown, abort.signal, { sinceSeconds }).follow(run));
      await printLogs(client, run, shown, { sinceSeconds, signal: abort.signal });
      view.note(`${run.kind} ${run.metadata.name} is still running; -f follows it`);
    });
  } finally {
    stopped.ignore();
  }
}

/** The API takes whole seconds. */
function readSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Math.max(1, Math.ceil(readDuration('--since', text) / 1000));
}

/** A misspelt name must not read as a silent task. */
function checkParts(root: RunNode, { task, step }: LogsOptions): void {
  const tasks = root.id.startsWith('TaskRun/') ? [] : tasksOf(root);
  if (task !== undefined && !tasks.some(({ name }) => nameOf(name) === task)) {
    const has = tasks.length > 0 ? `it has ${tasks.map(({ name }) => nameOf(name)).join(', ')}` : 'it is a TaskRun';
    throw new UserError(`--task: ${root.name} has no task ${JSON.stringify(task)}; ${has}`, 2);
  }
  const inTasks = tasks.length === 0 ? [root] : tasks.filter(({ name }) => task === undefined || nameOf(name) === task);
  const steps = [...new Set(inTasks.flatMap(({ children }) => children.map(({ name }) => name)))];
  // Tasks that have not started have no steps yet.
  if (step !== undefined && steps.length > 0 && !steps.includes(step))
    throw new UserError(`--step: there is no step ${JSON.stringify(step)}; there are ${steps.join(', ')}`, 2);
}

/** Tasks of a pipeline, and of the pipelines in it. */
function tasksOf(node: RunNode): readonly RunNode[] {
  return node.children.flatMap((child) => [child, ...(child.id.startsWith('PipelineRun/') ? tasksOf(child) : [])]);
}

/** The tree marks final tasks and those of a matrix behind their names. */
const nameOf = (shown: string) => shown.split(' ', 1)[0] ?? '';
