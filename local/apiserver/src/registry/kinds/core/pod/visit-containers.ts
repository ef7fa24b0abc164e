import type { FieldPath } from '@tektite/meta';
import type { Container, EphemeralContainer, PodSpec } from '@tektite/schema/kubernetes';

/** Calls `visit` for all containers of a Pod in the order upstream visits them: init, regular, ephemeral. */
export function visitContainers(
  spec: PodSpec,
  path: FieldPath,
  visit: (container: Container | EphemeralContainer, path: FieldPath) => void,
): void {
  const lists: [string, readonly (Container | EphemeralContainer)[] | null | undefined][] = [
    ['initContainers', spec.initContainers],
    ['containers', spec.containers],
    ['ephemeralContainers', spec.ephemeralContainers],
  ];
  for (const [name, containers] of lists)
    for (const [i, container] of (containers ?? []).entries()) visit(container, path.child(name).index(i));
}
