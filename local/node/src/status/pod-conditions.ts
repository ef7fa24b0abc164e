import type { ContainerStatus, Pod, PodCondition } from '@tektite/schema/kubernetes';
import { containersOf } from '../container/container-record.ts';
import type { PodPhase } from './pod-phase.ts';

/** Conditions that are the node's to set; all others are kept as they are. */
export const ownConditions = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
]);

/** Conditions of a change of resources; one that is absent does not hold. */
export interface ResizeConditions {
  readonly PodResizePending?: Omit<ConditionState, 'status'>;
  readonly PodResizeInProgress?: Omit<ConditionState, 'status'>;
}

type ConditionState = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const yes: ConditionState = { status: 'True' };

/** All conditions of a Pod, in the order in which kubelets write them. */
export function podConditions(
  pod: Pod,
  phase: PodPhase,
  statuses: readonly ContainerStatus[],
  sandboxReady: boolean,
  now: string,
  resize: ResizeConditions = {},
): PodCondition[] {
  const before = new Map((pod.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const others = [...before.values()].filter(({ type }) => !ownConditions.has(type));
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const containersReady = containersReadyState(pod, phase, byName);
  const resizing = Object.entries(resize).map(([type, state]): [string, ConditionState] => [
    type,
    { ...yes, ...state },
  ]);
  const states: [string, ConditionState][] = [
    ...resizing,
    ['PodReadyToStartContainers', sandboxReady ? yes : { status: 'False' }],
    ['Initialized', initializedState(pod, phase, byName)],
    ['Ready', readyState(pod, containersReady, before)],
    ['ContainersReady', containersReady],
    ['PodScheduled', yes],
  ];
  const own = states.map(([type, state]): PodCondition => {
    const old = before.get(type);
    const lastTransitionTime = old?.status === state.status ? (old.lastTransitionTime ?? now) : now;
    const { generation } = pod.metadata;
    return {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime,
      ...state,
    };
  });
  return [...others, ...own];
}

function containersReadyState(
  pod: Pod,
  phase: PodPhase,
  statuses: ReadonlyMap<string, ContainerStatus>,
): ConditionState {
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  const unready = containersOf(pod)
    .filter(({ role, container }) => role !== 'init' && !statuses.get(container.name)?.ready)
    .map(({ container }) => container.name);
  if (unready.length === 0) return yes;
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function readyState(
  pod: Pod,
  containersReady: ConditionState,
  conditions: ReadonlyMap<string, PodCondition>,
): ConditionState {
  if (containersReady.status !== 'True') return containersReady;
  const missing = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = conditions.get(conditionType);
    const gate = `pod readiness gate ${JSON.stringify(conditionType)}`;
    if (!condition) return [`corresponding condition of ${gate} does not exist.`];
    return condition.status === 'True' ? [] : [`the status of ${gate} is not "True", but ${condition.status}`];
  });
  return missing.length === 0
    ? yes
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: missing.join(', ') };
}

function initializedState(pod: Pod, phase: PodPhase, statuses: ReadonlyMap<string, ContainerStatus>): ConditionState {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const entries = containersOf(pod);
  const started = entries.some(({ role, container }) => role === 'app' && hasStarted(statuses.get(container.name)));
  if (started) return yes;
  const incomplete = entries
    .filter(({ role, container }) => {
      const status = statuses.get(container.name);
      return role === 'init' ? !status?.ready : role === 'sidecar' && !status?.started;
    })
    .map(({ container }) => container.name);
  if (incomplete.length === 0) return yes;
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function hasStarted(status: ContainerStatus | undefined): boolean {
  return (
    status?.state?.running !== undefined ||
    status?.state?.terminated !== undefined ||
    status?.lastState?.terminated !== undefined
  );
}
