import { type Client, kinds, linesOf, type ObjectKey, resilientWatch } from '@tektite/client';
import { type KubeObject, sleep } from '@tektite/meta';
import type { TaskRun, TaskRunStatus } from '@tektite/pipelines';
import type { Pod } from '@tektite/schema/kubernetes';

/** Told of what happens in a run. */
export interface RunListener {
  log(step: string, line: string): void;
  /** A step began, or ended with an exit code. */
  step(step: string, exitCode: number | undefined): void;
}

const taskRuns = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };

/** Follows a TaskRun to its end, with the logs of its steps. */
export async function followRun(
  client: Client,
  key: ObjectKey,
  listener: RunListener,
  signal: AbortSignal,
): Promise<TaskRunStatus> {
  const options = { namespace: key.namespace ?? '', fieldSelector: `metadata.name=${key.name}`, signal };
  let logs: Promise<void> | undefined;
  for await (const event of resilientWatch<KubeObject>(client, taskRuns, options)) {
    if (event.type === 'deleted' || event.type === 'vanished') throw new Error(`the TaskRun ${key.name} was deleted`);
    if (event.type !== 'added' && event.type !== 'modified') continue;
    const { status } = event.object as TaskRun;
    if (status?.podName) logs ??= followPod(client, { ...key, name: status.podName }, listener, signal);
    const { status: how = 'Unknown' } = status?.conditions?.find(({ type }) => type === 'Succeeded') ?? {};
    if (how === 'Unknown' || !status) continue;
    // A Pod that was deleted has no logs any more to wait for.
    await Promise.race([logs, sleep(client.clock, 3000, signal)]);
    return status;
  }
  throw new Error('the run was not followed to its end');
}

/** The logs of the steps, one after the other, as they run. */
async function followPod(client: Client, key: ObjectKey, listener: RunListener, signal: AbortSignal): Promise<void> {
  const pod = await client.get(kinds.Pod, key, { signal });
  for (const { name } of pod.spec?.containers ?? []) {
    if (!name.startsWith('step-')) continue;
    const step = name.slice('step-'.length);
    await untilBegun(client, key, name, signal);
    listener.step(step, undefined);
    const stream = await client.log(key, { container: name, follow: true, signal });
    for await (const line of linesOf(stream)) listener.log(step, line);
    listener.step(step, await exitCode(client, key, name, signal));
  }
}

async function untilBegun(client: Client, key: ObjectKey, container: string, signal: AbortSignal): Promise<void> {
  const options = { namespace: key.namespace ?? '', fieldSelector: `metadata.name=${key.name}`, signal };
  for await (const event of resilientWatch<Pod>(client, kinds.Pod, options)) {
    if (event.type !== 'added' && event.type !== 'modified') continue;
    const state = stateOf(event.object, container);
    if (state?.running || state?.terminated) return;
  }
}

async function exitCode(client: Client, key: ObjectKey, container: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    const state = stateOf(await client.get(kinds.Pod, key, { signal }), container);
    if (state?.terminated) return state.terminated.exitCode;
    await sleep(client.clock, 20, signal);
  }
}

function stateOf({ status }: Pod, container: string) {
  return (status?.containerStatuses ?? []).find(({ name }) => name === container)?.state;
}
