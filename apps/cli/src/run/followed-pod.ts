import { type Client, kinds, linesOf, type ObjectKey, resilientWatch } from '@tektite/client';
import { type Clock, isStatusError } from '@tektite/meta';
import type { ContainerState, Pod } from '@tektite/schema/kubernetes';

/** How a step ended. */
export interface StepEnd {
  readonly exitCode: number;
  /** It did nothing, because another step failed. */
  readonly skipped: boolean;
  /** The image that the step names, and that this machine does not use. */
  readonly unusedImage?: string;
}

/** Receives what happens to the steps of a Pod. */
export interface StepListener {
  /** Whether all steps have ended, so that what is left of their logs ends, too; said again with each change. */
  ending(isEnding: boolean): void;
  log(step: string, line: string): void;
  ended(step: string, end: StepEnd): void;
  /** Something keeps the Pod, or a container of it, from starting. Each reason comes once. */
  stuck(reason: string): void;
}

/** The part of a log that is read; all of it unless this says otherwise. */
export interface LogWindow {
  readonly sinceSeconds?: number | undefined;
}

const prefix = 'step-';

/** How long a Pod may take to start in spite of a warning: volumes that are being made are missing for a moment. */
const patienceMs = 2000;

/** The logs of a Pod's steps, one after the other, as they run. Ends with the last step, or when the Pod is deleted. */
export async function followPod(
  client: Client,
  key: ObjectKey,
  listener: StepListener,
  signal: AbortSignal,
  window: LogWindow = {},
): Promise<void> {
  const stop = new AbortController();
  const warnings = new Warnings(client.clock, (reason) => listener.stuck(reason));
  const ends = AbortSignal.any([signal, stop.signal]);
  const observe = (pod: Pod | undefined) => {
    listener.ending(pod !== undefined && hasEnded(pod));
    if (pod) warnings.observe(pod);
  };
  const pods = podStates(client, key, observe, ends);
  // Without the right to read events, there are no warnings.
  const warned = followWarnings(client, key, (reason) => warnings.later(reason), ends).catch(() => undefined);
  try {
    const first = await pods.until(() => true);
    for (const { name } of first?.spec?.containers ?? []) {
      if (name.startsWith(prefix) && !(await followStep(client, key, name, pods, listener, signal, window))) return;
    }
  } finally {
    stop.abort();
    warnings[Symbol.dispose]();
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
  { sinceSeconds }: LogWindow,
): Promise<boolean> {
  const step = container.slice(prefix.length);
  const started = await pods.until((pod) => hasStarted(stateOf(pod, container)));
  if (!started) return false;
  try {
    const stream = await client.log(key, {
      container,
      follow: true,
      ...(sinceSeconds ? { sinceSeconds } : {}),
      signal,
    });
    for await (const line of linesOf(stream)) listener.log(step, line);
  } catch (error) {
    if (!isStatusError(error)) throw error;
  }
  const over = await pods.until((pod) => stateOf(pod, container)?.terminated !== undefined);
  const terminated = over && stateOf(over, container)?.terminated;
  if (!terminated) return false;
  const image = unusedImage(over, container);
  const { exitCode, message } = terminated;
  listener.ended(step, {
    exitCode,
    skipped: isSkipped(message),
    ...(image === undefined ? {} : { unusedImage: image }),
  });
  return true;
}

function hasEnded(pod: Pod): boolean {
  const steps = (pod.spec?.containers ?? []).filter(({ name }) => name.startsWith(prefix));
  return steps.every(({ name }) => stateOf(pod, name)?.terminated !== undefined);
}

/** The entrypoint leaves its reason in the termination message. */
function isSkipped(message: string | undefined): boolean {
  return /"key":"Reason","value":"Skipped"/.test(message ?? '');
}

/** The host runtime says so in the ID of the image. */
function unusedImage({ status }: Pod, container: string): string | undefined {
  const { imageID = '' } = (status?.containerStatuses ?? []).find(({ name }) => name === container) ?? {};
  return imageID.startsWith('host://') ? imageID.slice('host://'.length) : undefined;
}

/** Reports each reason once: those of containers at once, those of the Pod as a whole if it does not start all the same. */
class Warnings implements Disposable {
  private readonly clock: Clock;
  private readonly report: (reason: string) => void;
  private readonly reported = new Set<string>();
  private readonly timers = new Map<string, Disposable>();
  private started = false;

  constructor(clock: Clock, report: (reason: string) => void) {
    this.clock = clock;
    this.report = report;
  }

  observe(pod: Pod): void {
    for (const reason of waitingReasons(pod)) this.now(reason);
    const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    this.started ||= all.some(({ state }) => hasStarted(state));
    if (this.started) this[Symbol.dispose]();
  }

  later(reason: string): void {
    if (this.started || this.reported.has(reason) || this.timers.has(reason)) return;
    this.timers.set(
      reason,
      this.clock.setTimer(patienceMs, () => this.now(reason)),
    );
  }

  private now(reason: string): void {
    // A back-off repeats the error that caused it.
    const error = reason.replace(
      /: ImagePullBackOff: Back-off pulling image ".*?": ErrImagePull: /,
      ': ErrImagePull: ',
    );
    if (!this.reported.has(reason) && !this.reported.has(error)) this.report(reason);
    this.reported.add(reason);
  }

  [Symbol.dispose](): void {
    for (const timer of this.timers.values()) timer[Symbol.dispose]();
  }
}

function stateOf({ status }: Pod, container: string): ContainerState | undefined {
  return (status?.containerStatuses ?? []).find(({ name }) => name === container)?.state;
}

function hasStarted(state: ContainerState | undefined): boolean {
  return state?.running !== undefined || state?.terminated !== undefined;
}

/** Waiting reasons of containers that start without an intervention. */
const usual = new Set(['PodInitializing', 'ContainerCreating']);

/** The reasons that keep containers from starting, which the status of the run does not have. */
function waitingReasons({ metadata, status }: Pod): string[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(({ name, state }) => {
    const { reason = '', message } = state?.waiting ?? {};
    return message && !usual.has(reason) ? [`Pod ${metadata.name}, container ${name}: ${reason}: ${message}`] : [];
  });
}

/** Reasons of events that keep a Pod as a whole from starting. */
const podWarnings = new Set(['FailedScheduling', 'FailedMount', 'FailedAttachVolume']);

async function followWarnings(
  client: Client,
  { namespace = '', name }: ObjectKey,
  report: (warning: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const selection = { namespace, fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${name}`, signal };
  for await (const event of resilientWatch(client, kinds.Event, selection)) {
    if (event.type === 'error') return;
    if (event.type !== 'added' && event.type !== 'modified') continue;
    const { reason = '', message = '' } = event.object;
    if (podWarnings.has(reason)) report(`Pod ${name}: ${reason}: ${message}`);
  }
}

interface PodStates {
  /** The Pod once it holds; nothing when the Pod is deleted before. */
  until(holds: (pod: Pod) => boolean): Promise<Pod | undefined>;
}

/** One watch for everything that is asked about the Pod. Observed is each state; `undefined`: it cannot be read now. */
function podStates(
  client: Client,
  key: ObjectKey,
  observe: (pod: Pod | undefined) => void,
  signal: AbortSignal,
): PodStates {
  const selection = { namespace: key.namespace ?? '', fieldSelector: `metadata.name=${key.name}`, signal };
  let current: Pod | undefined;
  const events = resilientWatch<Pod>(client, kinds.Pod, selection);
  return {
    async until(holds) {
      while (!current || !holds(current)) {
        const { value: event } = await events.next();
        if (event.type === 'added' || event.type === 'modified') observe((current = event.object));
        if (event.type === 'error') observe(undefined);
        const gone = event.type === 'deleted' || event.type === 'vanished' || (event.type === 'synced' && !current);
        if (gone) return undefined;
      }
      return current;
    },
  };
}
