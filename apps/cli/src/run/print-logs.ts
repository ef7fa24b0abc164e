import { type Client, linesOf } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';
import type { TaskRun } from '@tektite/pipelines';
import { readParts } from './read-tree.ts';
import type { RunView } from './view/run-view.ts';

export interface PrintLogsOptions {
  readonly sinceSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/** Shows the logs that a run has so far: task by task in the order of their start, step by step. */
export async function printLogs(
  client: Client,
  run: KubeObject,
  view: RunView,
  { sinceSeconds, signal }: PrintLogsOptions,
): Promise<void> {
  const { name = '', namespace = '' } = run.metadata;
  const parts = new Map<string, KubeObject>();
  if (run.kind === 'PipelineRun') await readParts(client, run, parts);
  const taskRuns = (
    run.kind === 'TaskRun' ? [run] : [...parts.values()].filter(({ kind }) => kind === 'TaskRun')
  ) as TaskRun[];
  const startOf = ({ status }: TaskRun) => Date.parse(status?.startTime ?? '') || Number.POSITIVE_INFINITY;
  view.started(run.kind, name);
  for (const { metadata, status } of taskRuns.toSorted((a, b) => startOf(a) - startOf(b))) {
    const task = metadata.labels?.['tekton.dev/pipelineTask'];
    for (const { name: step = '', container, running, terminated, terminationReason } of status?.steps ?? []) {
      if (!status?.podName || !(running ?? terminated)) continue;
      const place = { run: name, tasks: task === undefined ? [] : [task], step };
      try {
        const options = { container: container ?? `step-${step}`, ...(sinceSeconds ? { sinceSeconds } : {}), signal };
        for await (const line of linesOf(await client.log({ namespace, name: status.podName }, options)))
          view.log(place, line);
      } catch (error) {
        // Of a Pod that was deleted there are none.
        if (!isStatusError(error)) throw error;
      }
      if (terminated) view.stepEnded(place, terminated.exitCode ?? 0, terminationReason === 'Skipped');
    }
  }
}
