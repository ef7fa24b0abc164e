import type { Container } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { Sidecar, TaskSpec } from '../kinds/task-spec.ts';
import { resultsSidecar, sidecarContainer, stepContainer } from './container-names.ts';
import { implicitMounts, paths, runMounts, scriptsMount } from './internal-volumes.ts';
import type { PodImages } from './pod-images.ts';

/** The container of a sidecar, as the user wrote it. It gets none of Tekton's folders but that of its script. */
export function userSidecar(sidecar: Sidecar, script: string | undefined): Container {
  const { name, script: _, workspaces: __, computeResources, ...fields } = sidecar;
  return {
    ...fields,
    name: sidecarContainer(name),
    ...(script
      ? { command: [script], volumeMounts: [...(fields.volumeMounts ?? []), { ...scriptsMount, readOnly: true }] }
      : {}),
    resources: computeResources ?? {},
  } as Container;
}

/** Whether results are printed by a sidecar, and read from its log. */
export function needsResultsSidecar(task: TaskSpec, { resultExtractionMethod }: FeatureFlags): boolean {
  if (resultExtractionMethod !== 'sidecar-logs') return false;
  return (task.results ?? []).length > 0 || artifactSteps(task).length > 0 || (task.steps ?? []).some(hasResults);
}

const hasResults = ({ results = [] }: { readonly results?: readonly unknown[] }) => results.length > 0;

/** The steps that write down what they made. */
function artifactSteps({ steps = [] }: TaskSpec): readonly string[] {
  return steps.flatMap((step, index) => {
    const name = stepContainer(step.name, index);
    const text = JSON.stringify(step);
    return text.includes('$(step.artifacts.path)') || text.includes(`${paths.steps}/${name}/artifacts/`) ? [name] : [];
  });
}

export function resultsContainer(
  task: TaskSpec,
  images: PodImages,
  flags: FeatureFlags,
  pollingInterval: string,
): Container {
  const { steps = [], results = [] } = task;
  const stepResults = Object.fromEntries(
    steps.flatMap((step, index) =>
      step.results?.length ? [[stepContainer(step.name, index), step.results.map(({ name }) => name)] as const] : [],
    ),
  );
  const files = results.filter(({ value }) => value === undefined).map(({ name }) => name);
  return {
    name: sidecarContainer(resultsSidecar),
    image: images.sidecarLogResults,
    command: [
      '/ko-app/sidecarlogresults',
      '-results-dir',
      paths.results,
      '-result-names',
      files.join(','),
      '-step-names',
      artifactSteps(task).join(','),
      '-step-results',
      JSON.stringify(stepResults),
      ...(flags.enableKubernetesSidecar ? ['-kubernetes-sidecar-mode', 'true'] : []),
    ],
    env: [{ name: 'SIDECAR_LOG_POLLING_INTERVAL', value: pollingInterval }],
    resources: {},
    volumeMounts: [...runMounts(steps.length, -1), ...implicitMounts],
  };
}
