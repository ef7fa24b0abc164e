import { annotatedSimulation, type Simulation } from '@tektite/node';
import { formatTime } from '@tektite/meta';
import type { Container, ContainerStatus, Pod, PodStatus } from '@tektite/schema/kubernetes';

/** The behaviour of a container whose Pod has no annotation for it. */
export type PodScript = (pod: Pod, container: string, attempt: number) => Simulation;

export interface PodDecision {
  /** The status to write; absent: it is as it should be. */
  readonly status?: PodStatus;
  /** When something changes next. */
  readonly nextMs?: number;
}

const restartMs = 10_000;

/** Containers that are restarted go on, as servers do; all others run for a second and succeed. */
export const standardScript: PodScript = ({ spec }) =>
  (spec?.restartPolicy ?? 'Always') === 'Always' ? {} : { runMs: 1000 };

/**
 * The status that a kubelet would report at this time. Everything is calculated from the status before, so that a node which starts again
 * goes on where it was.
 */
export function decidePod(pod: Pod, now: number, script: PodScript = standardScript): PodDecision {
  const { status = {}, spec } = pod;
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return {};
  const policy = spec?.restartPolicy ?? 'Always';
  const waits: number[] = [];
  const before = new Map((status.containerStatuses ?? []).map((each) => [each.name, each]));
  const containerStatuses = (spec?.containers ?? []).map((container) => {
    const { next, waitMs } = advance(pod, container, before.get(container.name), now, { script, policy });
    if (waitMs !== undefined) waits.push(waitMs);
    return next;
  });
  const phase = phaseOf(containerStatuses, policy);
  const isReady = phase === 'Running' && containerStatuses.every(({ ready }) => ready);
  const next: PodStatus = {
    ...status,
    phase,
    startTime: status.startTime ?? formatTime(now),
    hostIP: '10.0.0.1',
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    conditions: conditionsOf(status, isReady, phase, now),
    ...(spec?.initContainers
      ? { initContainerStatuses: spec.initContainers.map((each) => completed(each, now, status)) }
      : {}),
    containerStatuses,
  };
  const hasChanged = JSON.stringify(next) !== JSON.stringify(status);
  return { ...(hasChanged ? { status: next } : {}), ...(waits.length > 0 ? { nextMs: Math.min(...waits) } : {}) };
}

interface Course {
  readonly script: PodScript;
  readonly policy: string;
}

function advance(
  pod: Pod,
  { name, image = '' }: Container,
  before: ContainerStatus | undefined,
  now: number,
  { script, policy }: Course,
): { readonly next: ContainerStatus; readonly waitMs?: number } {
  const attempt = before?.restartCount ?? 0;
  const simulation = annotatedSimulation(pod.metadata.annotations ?? {}, name, attempt) ?? script(pod, name, attempt);
  const base = { name, image, imageID: `simulated://${image}`, restartCount: attempt };
  const running = before?.state?.running;
  const ended = before?.state?.terminated;
  if (ended) {
    if (policy === 'Never' || (policy === 'OnFailure' && ended.exitCode === 0)) return { next: before };
    const waitMs = Date.parse(ended.finishedAt ?? '') + restartMs - now;
    if (waitMs > 0) return { next: before, waitMs };
    const state = { running: { startedAt: formatTime(now) } };
    return {
      next: { ...base, restartCount: attempt + 1, ready: true, state, lastState: { terminated: ended } },
      waitMs: 0,
    };
  }
  const startedAt = running?.startedAt ?? formatTime(now);
  const { runMs, exitCode = 0, terminationMessage } = simulation;
  const leftMs = runMs === undefined ? undefined : Date.parse(startedAt) + runMs - now;
  const lastState = before?.lastState ? { lastState: before.lastState } : {};
  if (leftMs === undefined || leftMs > 0)
    return {
      next: { ...base, ready: true, state: { running: { startedAt } }, ...lastState },
      ...(leftMs === undefined ? {} : { waitMs: leftMs }),
    };
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: formatTime(now),
    ...(terminationMessage === undefined ? {} : { message: terminationMessage }),
  };
  const again = policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
  return {
    next: { ...base, ready: false, state: { terminated }, ...lastState },
    ...(again ? { waitMs: restartMs } : {}),
  };
}

function completed(
  { name, image = '' }: Container,
  now: number,
  { initContainerStatuses }: PodStatus,
): ContainerStatus {
  const known = initContainerStatuses?.find((each) => each.name === name);
  if (known?.state?.terminated) return known;
  const time = formatTime(now);
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
  return { name, image, imageID: `simulated://${image}`, ready: true, restartCount: 0, state: { terminated } };
}

function phaseOf(statuses: readonly ContainerStatus[], policy: string): string {
  const ends = statuses.map(({ state }) => state?.terminated?.exitCode);
  if (policy === 'Always' || ends.some((code) => code === undefined)) return 'Running';
  if (policy === 'OnFailure' && ends.some((code) => code !== 0)) return 'Running';
  return ends.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function conditionsOf(
  { conditions = [] }: PodStatus,
  isReady: boolean,
  phase: string,
  now: number,
): NonNullable<PodStatus['conditions']> {
  const own = ['Initialized', 'ContainersReady', 'Ready'].map((type) => {
    const status = type === 'Initialized' || isReady ? 'True' : 'False';
    const isCompleted = phase === 'Succeeded' || phase === 'Failed';
    const reason = status === 'False' && isCompleted ? { reason: 'PodCompleted' } : {};
    const before = conditions.find((each) => each.type === type);
    if (before?.status === status && before.reason === reason.reason) return before;
    return { type, status, ...reason, lastTransitionTime: formatTime(now) };
  });
  return [...conditions.filter(({ type }) => !own.some((each) => each.type === type)), ...own];
}
