import { type Client, linesOf } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { keyOfMetadata, type Run, TaskRun } from '../kinds/runs.ts';

/**
 * The log of a run in the form of `tkn … logs`: every line behind the name of its step, and for a PipelineRun of its task; an empty line after
 * each step. Containers that never ran have none.
 */
export async function* runLog(client: Client, run: Run, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (run.kind !== 'PipelineRun') {
    yield* taskRunLog(client, run, '', signal);
    return;
  }
  for (const { kind = 'TaskRun', name = '', pipelineTaskName = name } of run.status?.childReferences ?? []) {
    if (kind !== 'TaskRun') continue;
    const child = await client.getOrUndefined(TaskRun, keyOfMetadata({ ...run.metadata, name }));
    if (child) yield* taskRunLog(client, child, `${pipelineTaskName} : `, signal);
  }
}

async function* taskRunLog(
  client: Client,
  { metadata, status }: Run,
  prefix: string,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const { podName: name, steps = [] } = status ?? {};
  if (!name) return;
  for (const step of steps) {
    const { name: stepName = '', container = `step-${stepName}` } = step;
    const stream = await client
      .log({ namespace: metadata.namespace ?? '', name }, { container, signal })
      .catch(withoutLog);
    if (!stream) continue;
    for await (const line of linesOf(stream)) yield Buffer.from(`[${prefix}${stepName}] ${line}\n`);
    yield Buffer.from('\n');
  }
}

/** The Pod was deleted, or the container never ran. */
function withoutLog(error: unknown): undefined {
  if (isStatusError(error, 'NotFound') || isStatusError(error, 'BadRequest')) return undefined;
  throw error;
}
