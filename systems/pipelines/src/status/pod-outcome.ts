import type { ContainerStatus, Pod } from '@tektite/schema/kubernetes';
import { isSidecarContainer, isStepContainer, resultsSidecar, sidecarContainer } from '../pod/container-names.ts';
import type { FeatureFlags } from '../config/feature-flags.ts';
import { internalValue, parseTerminationMessage, TerminationMessageError } from './termination-message.ts';

/** How the `Succeeded` condition of a run stands. */
export interface RunOutcome {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const wasKilledForMemory = ({ state }: ContainerStatus) => state?.terminated?.reason === 'OOMKilled';
const failedItself = ({ state }: ContainerStatus) => (state?.terminated?.exitCode ?? 0) !== 0;
const hasEnded = ({ state }: ContainerStatus) => Boolean(state?.terminated);

/** Whether nothing more is to come from the Pod. Sidecars may go on: they are not asked. */
export function isComplete(pod: Pod, flags: FeatureFlags): boolean {
  const { phase, containerStatuses, initContainerStatuses } = pod.status ?? {};
  const containers = containerStatuses ?? [];
  if (flags.enableKubernetesSidecar && phase !== 'Failed' && !(initContainerStatuses ?? []).every(hasEnded))
    return false;
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const steps = containers.filter(({ name }) => isStepContainer(name));
  if (steps.some(wasKilledForMemory)) return true;
  const results = containers.find(({ name }) => name === sidecarContainer(resultsSidecar));
  if (flags.resultExtractionMethod === 'sidecar-logs' && results && !hasEnded(results)) return false;
  return phase === 'Running' && containers.length > 0 && steps.every(hasEnded);
}

/** Whether a Pod that is complete counts as failed. What a sidecar exits with does not matter while the steps are fine. */
export function hasFailed(pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  const steps = (pod.status?.containerStatuses ?? []).filter(({ name }) => isStepContainer(name));
  return steps.some((step) => failedItself(step) || wasKilledForMemory(step));
}

/** How the run stands, by its Pod. */
export function outcomeOf(pod: Pod, flags: FeatureFlags, ignoresFailure: boolean): RunOutcome {
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
function failureOf(pod: Pod): Failure {
  const { reason, message = '', initContainerStatuses, containerStatuses } = pod.status ?? {};
  if (reason === 'Evicted') return { reason: 'PodEvicted', message };
  const init = blame(initContainerStatuses ?? [], { other: 'InitContainer', prefix: 'init container failed, ' });
  const found = init ?? blame(inOrder(containerStatuses ?? [], pod), { other: 'Step', prefix: '' });
  if (found) return found;
  return { reason: 'Failed', message: message || 'build failed for unspecified reasons.' };
}

/** Nodes tell of containers in any order; who failed first is the first of the spec. */
function inOrder(statuses: readonly ContainerStatus[], { spec }: Pod): readonly ContainerStatus[] {
  const places = new Map((spec?.containers ?? []).map(({ name }, place) => [name, place]));
  return statuses.toSorted((a, b) => (places.get(a.name) ?? 0) - (places.get(b.name) ?? 0));
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
    if (container) return { reason, message: `${prefix}${describeExit(container)}` };
  }
  return undefined;
}

function describeExit({ name, state }: ContainerStatus): string {
  const { exitCode = 0, reason = '', message = '' } = state?.terminated ?? {};
  if (timedOut(message)) return `"${name}" exited because the step exceeded the specified timeout limit`;
  return reason ? `"${name}" exited with code ${exitCode}: ${reason}` : `"${name}" exited with code ${exitCode}`;
}

function timedOut(message: string): boolean {
  try {
    return internalValue(parseTerminationMessage(message), 'Reason') === 'TimeoutExceeded';
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

/** How a run stands whose Pod has not ended. */
function pendingOutcome(pod: Pod): RunOutcome {
  const { phase, conditions, containerStatuses } = pod.status ?? {};
  if (phase === 'Running')
    return { status: 'Unknown', reason: 'Running', message: 'Not all Steps in the Task have finished executing' };
  const unschedulable = (conditions ?? []).find(({ reason }) => reason === 'Unschedulable');
  if (unschedulable?.message?.includes('Insufficient'))
    return { status: 'Unknown', reason: 'ExceededNodeResources', message: 'TaskRun Pod exceeded available resources' };
  const waiting = (containerStatuses ?? []).map(({ state }) => state?.waiting);
  const image = waiting.find((each) => each && imageReasons.has(each.reason ?? ''));
  if (image) return { status: 'Unknown', reason: 'PullImageFailed', message: image.message ?? '' };
  if (waiting.some((each) => each?.reason === 'CreateContainerConfigError'))
    return {
      status: 'False',
      reason: 'CreateContainerConfigError',
      message: 'Failed to create pod due to config error',
    };
  return { status: 'Unknown', reason: 'Pending', message: pendingMessage(pod) };
}

function pendingMessage({ status }: Pod): string {
  for (const { name, state } of status?.containerStatuses ?? [])
    if (state?.waiting?.message) return `build step "${name}" is pending with reason "${state.waiting.message}"`;
  const held = (status?.conditions ?? []).find((condition) => condition.status !== 'True');
  if (held) return `pod status "${held.type}":"${held.status}"; message: "${held.message ?? ''}"`;
  return status?.message || 'Pending';
}
