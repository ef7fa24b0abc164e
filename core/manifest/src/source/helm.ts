import { stringifyJson } from '@tektite/meta';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isManifestError, ManifestError } from '../manifest-error.ts';
import type { ManifestItem } from '../origin.ts';
import { parseObjects } from './parse-objects.ts';
import type { ProgramRunner } from './program.ts';

export interface HelmChart {
  /** A folder, an archive, or what `helm template` takes otherwise. */
  readonly chart: string;
  readonly version?: string;
  readonly releaseName: string;
  readonly namespace: string;
  readonly values?: object;
  /** Default true. */
  readonly includeCRDs?: boolean;
  /** The values of `.Capabilities`: the version of the cluster, and its API versions. */
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
}

const hookAnnotation = 'helm.sh/hook';

/** Whether a folder is a chart. */
export async function isHelmFolder(folder: string): Promise<boolean> {
  return stat(join(folder, 'Chart.yaml')).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The objects of a chart as `helm template` makes them. Tests are left out; other hooks say in their origin that they are hooks. */
export async function renderHelm(
  chart: HelmChart,
  options: { readonly programs: ProgramRunner; readonly signal?: AbortSignal },
): Promise<ManifestItem[]> {
  const { programs, signal } = options;
  const source = `${chart.chart} (helm)`;
  const values = chart.values ? { input: stringifyJson(chart.values) } : {};
  let text: string;
  try {
    text = await programs.run('helm', helmArguments(chart), { ...values, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (!isManifestError(error, 'PROGRAM_MISSING')) throw error;
    throw new ManifestError(
      'PROGRAM_MISSING',
      `${chart.chart} is a Helm chart, and there is no helm here to render it; install helm, or give the output of \`helm template\``,
      { cause: error },
    );
  }
  return parseObjects(text, source).flatMap((item) => {
    const hook = item.object.metadata.annotations?.[hookAnnotation];
    if (hook === undefined) return [item];
    const moments = hook.split(',').map((moment) => moment.trim());
    if (moments.every((moment) => moment.startsWith('test'))) return [];
    return [{ ...item, origin: { ...item.origin, hook } }];
  });
}

function helmArguments(chart: HelmChart): string[] {
  return [
    'template',
    chart.releaseName,
    chart.chart,
    '--namespace',
    chart.namespace,
    ...((chart.includeCRDs ?? true) ? ['--include-crds'] : []),
    ...(chart.version ? ['--version', chart.version] : []),
    ...(chart.kubeVersion ? ['--kube-version', chart.kubeVersion] : []),
    ...(chart.apiVersions ?? []).flatMap((version) => ['--api-versions', version]),
    ...(chart.values ? ['--values', '-'] : []),
  ];
}
