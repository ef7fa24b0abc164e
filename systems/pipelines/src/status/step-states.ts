import type { ContainerStatus } from '@tektite/schema/kubernetes';
import type { CachedPod } from '../cache/cache-transforms.ts';
import { isSidecarContainer, isStepContainer, sidecarPrefix, stepPrefix } from '../pod/container-names.ts';
import type { SidecarState, StepState } from '../kinds/task-run-spec.ts';
import {
  parseTerminationMessage,
  type TerminationEntry,
  TerminationMessageError,
  reportedExitCode,
  reportedReason,
  reportedStart,
  visibleMessage,
} from './termination-message.ts';

/** A step's container, and its entries. */
export interface StepReport {
  readonly status: ContainerStatus;
  readonly entries: readonly TerminationEntry[];
  /** The error of an invalid termination message. */
  readonly violation?: TerminationMessageError;
}

/** The steps of a Pod, in the order of its spec, as far as the node has reported them. */
export function stepReports(pod: CachedPod): readonly StepReport[] {
  const statuses = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  return (pod.spec?.containers ?? []).flatMap(({ name }) => {
    const status = statuses.get(name);
    return isStepContainer(name) && status ? [readReport(status)] : [];
  });
}

function readReport(status: ContainerStatus): StepReport {
  try {
    return { status, entries: parseTerminationMessage(status.state?.terminated?.message ?? '') };
  } catch (error) {
    if (!(error instanceof TerminationMessageError)) throw error;
    return { status, entries: [], violation: error };
  }
}

/**
 * The state of a step in the status. Earlier fields that the Pod does not contain, such as the provenance of the step,
 * stay.
 */
export function stepState(
  { status, entries, violation }: StepReport,
  before: ReadonlyMap<string | undefined, StepState>,
): StepState {
  const { name: container, imageID, state = {} } = status;
  const name = container.slice(stepPrefix.length);
  const provenance = before.get(name)?.provenance;
  // A program without a message, such as one that could not be started, has no reason either.
  const reason = state.terminated?.message && !violation ? terminationReason(state.terminated, entries) : '';
  return {
    ...(state.terminated
      ? { terminated: violation ? state.terminated : terminatedState(state.terminated, entries) }
      : {}),
    ...(state.running ? { running: state.running } : {}),
    ...(state.waiting ? { waiting: state.waiting } : {}),
    name,
    container,
    ...(imageID ? { imageID } : {}),
    ...(reason ? { terminationReason: reason } : {}),
    ...(provenance ? { provenance } : {}),
  };
}

type Terminated = NonNullable<NonNullable<StepState['terminated']>>;

/** The entrypoint knows better than the node when the user's program began, and how it ended where that was ignored. */
function terminatedState(terminated: Terminated, entries: readonly TerminationEntry[]): Terminated {
  const { message: _, ...rest } = terminated;
  const startedAt = reportedStart(entries);
  const exitCode = reportedExitCode(entries);
  const message = visibleMessage(entries);
  return {
    ...rest,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(message === '' ? {} : { message }),
  };
}

function terminationReason({ reason }: Terminated, entries: readonly TerminationEntry[]): string {
  return reportedReason(entries) || (reportedExitCode(entries) === undefined ? (reason ?? '') : 'Continued');
}

/** In the order of the spec: nodes sort them by their names. */
function inOrder({ spec, status }: CachedPod): readonly ContainerStatus[] {
  const places = new Map((spec?.containers ?? []).map(({ name }, place) => [name, place]));
  const placeOf = ({ name }: ContainerStatus) => places.get(name) ?? places.size;
  return (status?.containerStatuses ?? []).toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The states of sidecars in the status. Native ones are init containers that keep running. */
export function sidecarStates(pod: CachedPod): readonly SidecarState[] {
  return [...inOrder(pod), ...(pod.status?.initContainerStatuses ?? [])]
    .filter(({ name }) => isSidecarContainer(name))
    .map(({ name, imageID, state = {} }) => ({
      ...state,
      name: name.slice(sidecarPrefix.length),
      container: name,
      ...(imageID ? { imageID } : {}),
    }));
}

/** The same after they were stopped: of one that was replaced, how the real one ended. */
export function stoppedSidecarStates({ status }: CachedPod): readonly SidecarState[] {
  return (status?.containerStatuses ?? [])
    .filter(({ name }) => isSidecarContainer(name))
    .map(({ name, imageID, state = {}, lastState }) => ({
      ...(lastState?.terminated ? { terminated: stopped(lastState.terminated) } : state),
      name: name.slice(sidecarPrefix.length),
      container: name,
      ...(imageID ? { imageID } : {}),
    }));
}

function stopped({ exitCode, startedAt, finishedAt, containerID }: Terminated): Terminated {
  return {
    exitCode,
    reason: 'Completed',
    message: 'Sidecar container successfully stopped by nop image',
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(containerID ? { containerID } : {}),
  };
}
