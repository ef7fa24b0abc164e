import type { Container, Pod, ResourceRequirements } from '@tektite/schema/kubernetes';

/** The role of a container in its Pod. */
export type ContainerRole = 'init' | 'sidecar' | 'app' | 'ephemeral';

/** How an instance of a container ended. Times are milliseconds; none means unknown. */
export interface Termination {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly containerID?: string;
}

/** One run of a container. */
export interface ContainerInstance {
  /** `RUNTIME://ID`; none for one that is only known from the API. */
  readonly containerID?: string;
  readonly imageID: string;
  /** The image that it was started from; none for one that is only known from the API. */
  readonly image?: string;
  /** The current limits. None for a container that is only known from the API, or that has no cgroup. */
  readonly resources?: ResourceRequirements;
  /** Why it could not be given the resources that it has been allocated. */
  readonly resizeError?: string;
  readonly startedAt?: number;
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** Its postStart hook is done, and its startup probe has succeeded, if it has them. */
  readonly started: boolean;
  readonly ready: boolean;
  /** A probe says that it has to be replaced. */
  readonly unhealthy?: 'startup' | 'liveness';
  /** It ends because the Pod wants another image for it, and is run again with that, whatever the policy says. */
  readonly replaced?: boolean;
  /** Set when it has ended. */
  readonly termination?: Termination;
}

/** The state of a container of a Pod. Values are immutable. */
export interface ContainerRecord {
  readonly name: string;
  readonly role: ContainerRole;
  /** The newest. */
  readonly instance?: ContainerInstance;
  /** How the one before ended. */
  readonly lastTermination?: Termination;
  readonly restartCount: number;
  /** Why there is no newer one. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
  /** A start that failed is not tried again before. */
  readonly retryAt?: number;
  readonly backOff?: BackOff;
  /** It was asked to stop. */
  readonly stopping: boolean;
}

/** How long to wait before the next restart, and since when that holds. */
export interface BackOff {
  readonly delayMs: number;
  readonly updatedAt: number;
}

/** A container of the Pod's spec with its role. */
export interface ContainerEntry {
  readonly container: Container;
  readonly role: ContainerRole;
}

/** The containers of a Pod that its life depends on, in the order in which they start. */
export function containersOf(pod: Pod): ContainerEntry[] {
  const init = (pod.spec?.initContainers ?? []).map((container) => ({ container, role: initRole(container) }));
  const app = (pod.spec?.containers ?? []).map((container) => ({ container, role: 'app' as const }));
  return [...init, ...app];
}

/** Those that were added to a Pod that runs, to debug it. They are started once, and change nothing of its life. */
export function ephemeralContainersOf(pod: Pod): ContainerEntry[] {
  return (pod.spec?.ephemeralContainers ?? []).map((container) => ({ container, role: 'ephemeral' }));
}

function initRole({ restartPolicy }: Container): ContainerRole {
  return restartPolicy === 'Always' ? 'sidecar' : 'init';
}

export function newRecord({ container, role }: ContainerEntry): ContainerRecord {
  return { name: container.name, role, restartCount: 0, stopping: false };
}

export function isRunning({ instance }: ContainerRecord): boolean {
  return instance !== undefined && instance.termination === undefined;
}

/** `NAME_NAMESPACE(UID)`: how kubelets write a Pod in messages. */
export function podName({ metadata }: Pod): string {
  return `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
}
