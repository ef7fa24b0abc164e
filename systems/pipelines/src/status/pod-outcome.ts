import { quoteGo } from '@tektite/meta';
import type { ContainerStatus } from '@tektite/schema/kubernetes';
import type { CachedPod } from '../cache/cache-transforms.ts';
import { isSidecarContainer, isStepContainer, resultsSidecar, sidecarContainer } from '../pod/container-names.ts';
import type { RunOutcome } from '../conditions/succeeded-condition.ts';
import type { FeatureFlags } from '../config/feature-flags.ts';
import { parseTerminationMessage, TerminationMessageError, reportedReason } from './termination-message.ts';

const wasKilledForMemory = ({ state }: ContainerStatus) => state?.terminated?.reason === 'OOMKilled';
const failedItself = ({ state }: ContainerStatus) => (state?.terminated?.exitCode ?? 0) !== 0;
const hasEnded = ({ state }: ContainerStatus) => Boolean(state?.terminated);

/** Whether nothing more is to come from the Pod. Sidecars may go on: they are not asked. */
export function isComplete(pod: CachedPod, flags: FeatureFlags): boolean {
  const { phase, containerStatuses, initContainerStatuses } = pod.status ?? {};
  const containers = containerStatuses ?? [];
  if (flags.enableKubernetesSidecar && !haveInitContainersEnded(phase, initContainerStatuses ?? [])) return false;
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const steps = containers.filter(({ name }) => isStepContainer(name));
  if (steps.some(wasKilledForMemory)) return true;
  const results = containers.find(({ name }) => name === sidecarContainer(resultsSidecar));
  if (flags.resultExtractionMethod === 'sidecar-logs' && results && !hasEnded(results)) return false;
  return phase === 'Running' && containers.length > 0 && steps.every(hasEnded);
}

/** Native sidecars are init containers that go on; when the Pod has failed, nothing else will run. */
function haveInitContainersEnded(phase: string | undefined, containers: readonly ContainerStatus[]): boolean {
  if (phase === 'Failed') return true;
  return (phase === 'Running' || phase === 'Succeeded') && containers.length > 0 && containers.every(hasEnded);
}

/** Whether a Pod that is complete counts as failed. What a sidecar exits with does not matter while the steps are fine. */
export function hasFailed(pod: CachedPod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  const steps = (pod.status?.containerStatuses ?? []).filter(({ name }) => isStepContainer(name));
  return steps.some((step) => failedItself(step) || wasKilledForMemory(step));
}

/** How the run stands, by its Pod. */
export function outcomeOf(pod: CachedPod, flags: FeatureFlags, ignoresFailure: boolean): RunOutcome {
  if (!isComplete(pod, flags)) return pendingOutcome(pod);
  if (!hasFailed(pod)) return { status: 'True', reason: 'Succeeded', message: 'All Steps have completed executing' };
  const { reason, message } = failureOf(pod);
  return { status: 'False', reason: ignoresFailure ? 'FailureIgnored' : reason, message };
}

interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** Who is to blame, in this order: init containers, then the others; sidecars before steps; memory before exit codes. */
function failureOf(pod: CachedPod): Failure {
  const { reason, message = '', initContainerStatuses, containerStatuses } = pod.status ?? {};
  if (reason === 'Evicted') return { reason: 'PodEvicted', message };
  const init = blame(initContainerStatuses ?? [], { other: 'InitContainer', prefix: 'init container failed, ' });
  const found = init ?? blame(inOrder(pod), { other: 'Step', prefix: '' });
  const isOutOfMemory = (containerStatuses ?? []).some(wasKilledForMemory);
  const vague = message || (isOutOfMemory ? 'OOMKilled' : 'build failed for unspecified reasons.');
  return { reason: found?.reason ?? 'Failed', message: found?.message || vague };
}

/** Nodes report containers in any order; the first failed one is the first of the spec. */
function inOrder({ spec, status }: CachedPod): readonly ContainerStatus[] {
  const places = new Map((spec?.containers ?? []).map(({ name }, place) => [name, place]));
  return (status?.containerStatuses ?? []).toSorted((a, b) => (places.get(a.name) ?? 0) - (places.get(b.name) ?? 0));
}

function blame(
  containers: readonly ContainerStatus[],
  { other, prefix }: { readonly other: string; readonly prefix: string },
): Failure | undefined {
  const sidecars = containers.filter(({ name }) => isSidecarContainer(name));
  const rest = containers.filter(({ name }) => !isSidecarContainer(name));
  const rules = [
    [sidecars, wasKilledForMemory, 'SidecarOOM'],
    [rest, wasKilledForMemory, `${other}OOM`],
    [sidecars, failedItself, 'SidecarFailed'],
    [rest, failedItself, `${other}Failed`],
  ] as const;
  for (const [among, test, reason] of rules) {
    const container = among.find(test);
    const exit = container && describeExit(container);
    if (container) return { reason, message: exit ? `${prefix}${exit}` : '' };
  }
  return undefined;
}

function describeExit({ name, state }: ContainerStatus): string {
  const { exitCode = 0, reason = '', message = '' } = state?.terminated ?? {};
  if (timedOut(message)) return `"${name}" exited because the step exceeded the specified timeout limit`;
  if (exitCode === 0) return '';
  return reason ? `"${name}" exited with code ${exitCode}: ${reason}` : `"${name}" exited with code ${exitCode}`;
}

function timedOut(message: string): boolean {
  try {
    return reportedReason(parseTerminationMessage(message)) === 'TimeoutExceeded';
  } catch (error) {
    if (error instanceof TerminationMessageError) return false;
    throw error;
  }
}

const imageReasons = new Set([
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImagePull',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'InvalidImageName',
]);

/** A failure to create a directory for a mount is transient. */
const subPathFailure = 'failed to create subPath directory';

type Waiting = NonNullable<NonNullable<ContainerStatus['state']>['waiting']>;

/** How a run stands whose Pod has not ended. */
function pendingOutcome(pod: CachedPod): RunOutcome {
  const ongoing = (reason: string, message: string): RunOutcome => ({ status: 'Unknown', reason, message });
  const { phase, containerStatuses, initContainerStatuses } = pod.status ?? {};
  if (phase !== 'Pending') return ongoing('Running', 'Not all Steps in the Task have finished executing');
  if (exceedsNodeResources(pod)) return ongoing('ExceededNodeResources', 'TaskRun Pod exceeded available resources');
  const steps = waitingStates(containerStatuses ?? []);
  const all = [...waitingStates(initContainerStatuses ?? []), ...steps];
  const isConfigError = ({ reason }: Waiting) => reason === 'CreateContainerConfigError';
  const isSubPath = ({ message }: Waiting) => message?.includes(subPathFailure) ?? false;
  if (steps.some((each) => isConfigError(each) && isSubPath(each)))
    return ongoing('Pending', 'Waiting for subPath directory creation to complete');
  if (all.some((each) => isConfigError(each) && !isSubPath(each)))
    return {
      status: 'False',
      reason: 'CreateContainerConfigError',
      message: 'Failed to create pod due to config error',
    };
  const isImage = all.some(({ reason = '' }) => imageReasons.has(reason));
  return ongoing(isImage ? 'PullImageFailed' : 'Pending', pendingMessage(pod));
}

/** Whether the Pod waits for a node with more room. */
export function exceedsNodeResources({ status }: CachedPod): boolean {
  return (status?.conditions ?? []).some(
    ({ reason, message }) => reason === 'Unschedulable' && message?.includes('Insufficient'),
  );
}

function waitingStates(containers: readonly ContainerStatus[]): readonly Waiting[] {
  return containers.flatMap(({ state }) => (state?.waiting ? [state.waiting] : []));
}

function pendingMessage(pod: CachedPod): string {
  for (const { name, state } of inOrder(pod))
    if (state?.waiting?.message)
      return `build step ${quoteGo(name)} is pending with reason ${quoteGo(state.waiting.message)}`;
  const { status } = pod;
  const held = (status?.conditions ?? []).find((condition) => condition.status !== 'True');
  if (held) return `pod status ${quoteGo(held.type)}:${quoteGo(held.status)}; message: ${quoteGo(held.message ?? '')}`;
  return status?.message || 'Pending';
}
