import type { Container } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { Sidecar, TaskSpec } from '../kinds/task-spec.ts';
import { resultsSidecar, sidecarContainer, stepContainer, stepPrefix } from './container-names.ts';
import { implicitMounts, paths, runMounts, scriptsMount } from './internal-volumes.ts';
import type { PlacedScript } from './place-scripts.ts';
import type { PodImages } from './pod-images.ts';

/** The container of a sidecar, as the user wrote it. It gets none of Tekton's folders but that of its script. */
export function userSidecar(sidecar: Sidecar, script: PlacedScript | undefined): Container {
  const { name, script: _, workspaces: __, computeResources, ...fields } = sidecar;
  return {
    ...fields,
    name: sidecarContainer(name),
    ...(script
      ? {
          command: [...script.command],
          ...(script.args.length > 0 ? { args: [...script.args, ...(fields.args ?? [])] } : {}),
          volumeMounts: [...(fields.volumeMounts ?? []), { ...scriptsMount, readOnly: true }],
        }
      : {}),
    resources: computeResources ?? {},
  } as Container;
}

/** Whether results are printed by a sidecar, and read from its log. */
export function needsResultsSidecar(task: TaskSpec, { resultExtractionMethod }: FeatureFlags): boolean {
  if (resultExtractionMethod !== 'sidecar-logs') return false;
  return task.results !== undefined || artifactSteps(task).length > 0;
}

/** The steps that write down what they made. */
function artifactSteps({ steps = [] }: TaskSpec): readonly string[] {
  return steps.flatMap((step) => {
    const name = `${stepPrefix}${step.name ?? ''}`;
    const path = `${paths.steps}/${name}/artifacts/provenance.json`;
    const { script = '', args = [], command = [], env = [] } = step;
    const texts = [script, ...args, ...command, ...env.map(({ value = '' }) => value)];
    return texts.some((text) => text.includes('$(step.artifacts.path)') || text.includes(path)) ? [name] : [];
  });
}

export function resultsContainer(
  task: TaskSpec,
  images: PodImages,
  isNative: boolean,
  pollingInterval: string,
): Container {
  const { steps = [], results = [] } = task;
  const stepResults = steps
    .flatMap((step, index) =>
      step.results?.length ? [[stepContainer(step.name, index), step.results.map(({ name }) => name)] as const] : [],
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    name: sidecarContainer(resultsSidecar),
    image: images.sidecarLogResults,
    command: [
      '/ko-app/sidecarlogresults',
      '-results-dir',
      paths.results,
      '-result-names',
      results.map(({ name }) => name).join(','),
      '-step-names',
      artifactSteps(task).join(','),
      '-step-results',
      JSON.stringify(Object.fromEntries(stepResults)),
      ...(isNative ? ['-kubernetes-sidecar-mode', 'true'] : []),
    ],
    env: [{ name: 'SIDECAR_LOG_POLLING_INTERVAL', value: pollingInterval }],
    resources: {},
    volumeMounts: [...runMounts(steps.length, -1), ...implicitMounts],
  };
}
