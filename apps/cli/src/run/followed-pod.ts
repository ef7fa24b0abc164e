import { type Client, kinds, linesOf, type ObjectKey, resilientWatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { ContainerState, Pod } from '@tektite/schema/kubernetes';

/** Told of the steps of a Pod. */
export interface StepListener {
  log(step: string, line: string): void;
  ended(step: string, exitCode: number): void;
  /** Something keeps the Pod, or a container of it, from starting. Each trouble is told once. */
  stuck(trouble: string): void;
}

const prefix = 'step-';

/** The logs of a Pod's steps, one after the other, as they run. Ends with the last step, or when the Pod is gone. */
export async function followPod(
  client: Client,
  key: ObjectKey,
  listener: StepListener,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const told = new Set<string>();
  const tell = (trouble: string) => {
    if (!told.has(trouble)) listener.stuck(trouble);
    told.add(trouble);
  };
  const ends = AbortSignal.any([signal, stop.signal]);
  const pods = podStates(client, key, (pod) => troublesOf(pod).forEach(tell), ends);
  // Who may not see events does without them.
  const warned = followWarnings(client, key, tell, ends).catch(() => undefined);
  try {
    const first = await pods.until(() => true);
    for (const { name } of first?.spec?.containers ?? []) {
      if (name.startsWith(prefix) && !(await followStep(client, key, name, pods, listener, signal))) return;
    }
  } finally {
    stop.abort();
    await warned;
  }
}

/** Whether the Pod is still there. */
async function followStep(
  client: Client,
  key: ObjectKey,
  container: string,
  pods: PodStates,
  listener: StepListener,
  signal: AbortSignal,
): Promise<boolean> {
  const step = container.slice(prefix.length);
  const begun = await pods.until((pod) => hasBegun(stateOf(pod, container)));
  if (!begun) return false;
  try {
    const stream = await client.log(key, { container, follow: true, signal });
    for await (const line of linesOf(stream)) listener.log(step, line);
  } catch (error) {
    if (!isStatusError(error)) throw error;
  }
  const over = await pods.until((pod) => stateOf(pod, container)?.terminated !== undefined);
  const terminated = over && stateOf(over, container)?.terminated;
  if (!terminated) return false;
  listener.ended(step, terminated.exitCode);
  return true;
}

function stateOf({ status }: Pod, container: string): ContainerState | undefined {
  return (status?.containerStatuses ?? []).find(({ name }) => name === container)?.state;
}

function hasBegun(state: ContainerState | undefined): boolean {
  return state?.running !== undefined || state?.terminated !== undefined;
}

/** Why containers wait on their way to a start that comes by itself. */
const usual = new Set(['PodInitializing', 'ContainerCreating']);

/** What keeps containers from starting, and nobody who only sees the run would learn. */
function troublesOf({ metadata, status }: Pod): string[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(({ name, state }) => {
    const { reason = '', message } = state?.waiting ?? {};
    return message && !usual.has(reason) ? [`Pod ${metadata.name}, container ${name}: ${reason}: ${message}`] : [];
  });
}

/** What keeps a Pod as a whole from starting, of which only events tell. */
const podTroubles = new Set(['FailedScheduling', 'FailedMount', 'FailedAttachVolume']);

async function followWarnings(
  client: Client,
  { namespace = '', name }: ObjectKey,
  tell: (trouble: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const selection = { namespace, fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${name}`, signal };
  for await (const event of resilientWatch(client, kinds.Event, selection)) {
    if (event.type === 'error') return;
    if (event.type !== 'added' && event.type !== 'modified') continue;
    const { reason = '', message = '' } = event.object;
    if (podTroubles.has(reason)) tell(`Pod ${name}: ${reason}: ${message}`);
  }
}

interface PodStates {
  /** The Pod once it is so; nothing when it is gone before. */
  until(holds: (pod: Pod) => boolean): Promise<Pod | undefined>;
}

/** One watch for everything that is asked about the Pod. */
function podStates(client: Client, key: ObjectKey, look: (pod: Pod) => void, signal: AbortSignal): PodStates {
  const selection = { namespace: key.namespace ?? '', fieldSelector: `metadata.name=${key.name}`, signal };
  let current: Pod | undefined;
  const events = resilientWatch<Pod>(client, kinds.Pod, selection);
  return {
    async until(holds) {
      while (!current || !holds(current)) {
        const { value: event } = await events.next();
        if (event.type === 'added' || event.type === 'modified') look((current = event.object));
        const gone = event.type === 'deleted' || event.type === 'vanished' || (event.type === 'synced' && !current);
        if (gone) return undefined;
      }
      return current;
    },
  };
}
