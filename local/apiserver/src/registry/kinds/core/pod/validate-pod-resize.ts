import { equalJson, type FieldError, FieldPath, forbidden, invalid } from '@tektite/meta';
import type { Container, Pod, PodSpec, ResourceRequirements } from '@tektite/schema/kubernetes';
import { isSidecar } from './aggregate-resources.ts';
import { qosClass } from './qos-class.ts';
import { emptyPodSpec, mirrorPod, validatePod } from './validate-pod.ts';

type ResourceList = Readonly<Record<string, string>>;

const path = FieldPath.of('spec');

/** Resources of a running Pod may change in place: cpu and memory, nothing else. */
export function validatePodResize(pod: Pod, old: Pod): FieldError[] {
  if (old.metadata.annotations?.[mirrorPod] !== undefined) return [forbidden('[]', 'static pods cannot be resized')];
  if (old.spec?.os?.name === 'windows') return [forbidden('[]', 'windows pods cannot be resized')];
  const errors: FieldError[] = [];
  const spec = pod.spec ?? emptyPodSpec;
  const before = old.spec ?? emptyPodSpec;
  validatePod(pod, errors);
  if ((old.status?.qosClass ?? qosClass(before)) !== qosClass(spec)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalid(path, pod.status?.qosClass ?? '', detail));
  }
  const running = old.status?.containerStatuses?.find(({ state }) => state?.running);
  if (running && !running.resources) errors.push(forbidden(path, 'Pod running on node without support for resize'));
  const munged = hasOwn(spec) || hasOwn(before) ? withPodResources(spec, before, errors) : spec;
  if (!checkOrder(spec, before, errors)) return errors;
  for (const field of ['initContainers', 'containers'] as const)
    for (const [i, container] of (before[field] ?? []).entries())
      checkNothingRemoved(
        spec[field]?.[i]?.resources,
        container.resources,
        path.child(field).index(i).child('resources'),
        ['resource requests cannot be removed', 'resource limits cannot be removed'],
        errors,
      );
  const restored = withOldContainers(munged, before, errors);
  if (errors.length === 0 && !equalJson(restored, before))
    errors.push(forbidden(path, 'only cpu and memory resources are mutable'));
  return errors;
}

const hasOwn = ({ resources }: PodSpec): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

function checkNothingRemoved(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  at: FieldPath,
  [requests, limits]: readonly [string, string],
  errors: FieldError[],
): void {
  const removed = (list: ResourceList = {}, before: ResourceList = {}) =>
    Object.keys(before).some((name) => list[name] === undefined);
  if (removed(resources?.requests, old?.requests)) errors.push(forbidden(at.child('requests'), requests));
  if (removed(resources?.limits, old?.limits)) errors.push(forbidden(at.child('limits'), limits));
}

function withPodResources(spec: PodSpec, old: PodSpec, errors: FieldError[]): PodSpec {
  const at = path.child('resources');
  if (old.resources && !spec.resources) {
    errors.push(forbidden(at, 'pod-level resources cannot be removed'));
    return spec;
  }
  if (old.resources)
    checkNothingRemoved(
      spec.resources,
      old.resources,
      at,
      ['pod-level resource requests cannot be removed', 'pod-level resource limits cannot be removed'],
      errors,
    );
  const resources = withOldCompute(spec.resources, old.resources);
  const { resources: _, ...rest } = spec;
  const gone = !old.resources && Object.keys(resources).length === 0;
  if (!gone && !equalJson(resources, old.resources))
    errors.push(forbidden(path, 'only cpu and memory resources are mutable at pod-level'));
  return gone ? rest : { ...rest, resources };
}

/** The resources with cpu and memory as they were. */
function withOldCompute(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
): ResourceRequirements {
  const restore = (list: ResourceList | undefined, before: ResourceList | undefined): ResourceList | undefined => {
    const result: Record<string, string> = { ...list };
    for (const name of ['cpu', 'memory']) {
      delete result[name];
      const value = before?.[name];
      if (value !== undefined) result[name] = value;
    }
    return Object.keys(result).length === 0 ? undefined : result;
  };
  const limits = restore(resources?.limits, old?.limits);
  const requests = restore(resources?.requests, old?.requests);
  return { ...(limits && { limits }), ...(requests && { requests }) };
}

function checkOrder(spec: PodSpec, old: PodSpec, errors: FieldError[]): boolean {
  const before = errors.length;
  for (const field of ['containers', 'initContainers'] as const) {
    const containers = spec[field] ?? [];
    const known = old[field] ?? [];
    if (containers.length !== known.length)
      errors.push(forbidden(path.child(field), `${field} may not be added or removed on resize`));
    else
      for (const [i, { name }] of known.entries())
        if (containers[i]?.name !== name)
          errors.push(
            forbidden(path.child(field).index(i).child('name'), `${field} may not be renamed or reordered on resize`),
          );
  }
  return errors.length === before;
}

function withOldContainers(spec: PodSpec, old: PodSpec, errors: FieldError[]): PodSpec {
  const restore = (container: Container, before: Container | undefined): Container => ({
    ...container,
    resources: withOldCompute(container.resources, before?.resources),
  });
  const same = (container: Container, before: Container | undefined): boolean =>
    equalJson(container, before && { ...before, resources: before.resources ?? {} });
  const containers = (spec.containers ?? []).map((container, i) => {
    const restored = restore(container, old.containers?.[i]);
    if (!same(restored, old.containers?.[i])) errors.push(forbidden(path, 'only cpu and memory resources are mutable'));
    return restored;
  });
  const initContainers = spec.initContainers?.map((container, i) => {
    const before = old.initContainers?.[i];
    const at = path.child('initContainers').index(i);
    const restored = restore(container, before);
    if (!same(restored, before))
      errors.push(forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable'));
    const restarts = container.resizePolicy?.some(({ restartPolicy }) => restartPolicy === 'RestartContainer');
    if (restarts && !isSidecar(container) && !equalJson(container, before)) {
      const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      errors.push(forbidden(at, detail));
    }
    return restored;
  });
  return { ...spec, containers, ...(initContainers && { initContainers }) };
}
