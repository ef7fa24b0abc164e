import type { Container, PodSpec, ResourceRequirements } from '@tektite/schema/kubernetes';
import { resultsSidecar, sidecarContainer } from './container-names.ts';

type ResourcesByName = Readonly<Record<string, ResourceRequirements>>;

const ownContainers = new Set([
  'prepare',
  'place-scripts',
  'working-dir-initializer',
  sidecarContainer(resultsSidecar),
]);

/**
 * Gives containers that ask for no resources those that the settings know: for their name, for a beginning of it
 * (`prefix-NAME`), or for all others (`default`). Tekton's own containers get them whatever they ask for.
 */
export function withDefaultResources(spec: PodSpec, resources: ResourcesByName | undefined): PodSpec {
  if (!resources || Object.keys(resources).length === 0) return spec;
  const entries = Object.entries(resources).filter(([, each]) => !isEmpty(each));
  const apply = (container: Container): Container => {
    if (!isEmpty(container.resources) && !ownContainers.has(container.name)) return container;
    const found =
      entries.find(([name]) => name === container.name && name !== 'default' && !name.startsWith('prefix-')) ??
      entries.find(([name]) => isPrefix(name, container.name)) ??
      entries.find(([name]) => name === 'default');
    return found ? { ...container, resources: found[1] } : container;
  };
  return {
    ...spec,
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(apply) } : {}),
    containers: (spec.containers ?? []).map(apply),
  };
}

function isPrefix(entry: string, container: string): boolean {
  return entry.startsWith('prefix-') && container.startsWith(`${entry.slice('prefix-'.length)}-`);
}

function isEmpty(resources: ResourceRequirements | undefined): boolean {
  const { requests, limits, claims } = resources ?? {};
  return !requests && !limits && !claims?.length;
}
