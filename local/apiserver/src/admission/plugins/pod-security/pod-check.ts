import type { KubeObject } from '@tektite/meta';
import type { Container, PodSpec, SecurityContext } from '@tektite/schema/kubernetes';

/** A violation: its reason, and the details. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The part of a Pod, or of a template, that checks read. */
export interface CheckedPod {
  readonly metadata: KubeObject['metadata'];
  readonly spec: PodSpec;
}

export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** Every container: those that run first, those that run, and those for debugging. */
export function* containersOf({ spec }: CheckedPod): Generator<Container> {
  yield* spec.initContainers ?? [];
  yield* spec.containers ?? [];
  yield* (spec.ephemeralContainers ?? []) as readonly Container[];
}

/** The names of the containers for which something holds. */
export function containersWhere(
  pod: CheckedPod,
  holds: (context: SecurityContext | undefined, container: Container) => boolean,
): string[] {
  return [...containersOf(pod)]
    .filter((container) => holds(container.securityContext, container))
    .map(({ name }) => name);
}

export function joinQuoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

export function sorted(items: Iterable<string>): string[] {
  return [...new Set(items)].sort();
}

export function plural(count: number, singular: string, other = `${singular}s`): string {
  return count === 1 ? singular : other;
}

/** `container "a"` or `containers "a", "b"`. */
export function containerList(names: readonly string[]): string {
  return `${plural(names.length, 'container')} ${joinQuoted(names)}`;
}

/** `pod and containers "a", "b"`: all that set a field. */
export function setters(podSets: boolean, containers: readonly string[]): string[] {
  return [...(podSets ? ['pod'] : []), ...(containers.length > 0 ? [containerList(containers)] : [])];
}

export const isWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === 'windows';

/** With a separate user namespace, root in the Pod is unprivileged on the node. */
export const hasOwnUsers = ({ spec }: CheckedPod): boolean => spec.hostUsers === false;
