import type { DynamicObject } from '@tektite/meta';
import { byohInstallation } from '../release/byoh-release.ts';
import { chainsInstallation } from '../release/chains-release.ts';
import { connectorsInstallation } from '../release/connectors-release.ts';
import { dashboardReleaseObjects } from '../release/dashboard-release.ts';
import { entrypointImage, type OwnProgram, shellImage } from '../release/own-program.ts';
import { pipelinesInstallation } from '../release/pipelines-release.ts';
import { clusterValues, type ReleaseObject, type ReleaseValues } from '../release/release-values.ts';
import { resultsInstallation } from '../release/results-release.ts';
import { releaseObjects, type SystemRelease } from '../release/system-objects.ts';
import { triggersInstallation } from '../release/triggers-release.ts';
import { UserError } from '../user-error.ts';
import { version } from '../version.ts';
import { operatorInstallation } from './operator-release.ts';

export interface InstallationOptions {
  readonly namespace: string;
  /** connectors: the payloads of the image, as they are on this machine: the rights are for them. */
  readonly payload?: string;
}

/** A system that can be installed on a cluster, by manifests or by a chart. */
export interface Installation {
  readonly summary: string;
  readonly namespace: string;
  /** Values where they are others than those of all. */
  readonly values?: Partial<ReleaseValues>;
  objects(
    program: OwnProgram,
    values: ReleaseValues,
    options: InstallationOptions,
  ): Promise<readonly ReleaseObject<DynamicObject>[]>;
}

const podImages = { entrypointImage, shellImage };

/** Of a system. */
function ofSystem(
  summary: string,
  namespace: string,
  describe: (values: ReleaseValues, options: InstallationOptions) => SystemRelease | Promise<SystemRelease>,
  values: Partial<ReleaseValues> = {},
): Installation {
  return {
    summary,
    namespace,
    values,
    objects: async (program, chosen, options) => releaseObjects(await describe(chosen, options), program, chosen),
  };
}

const installations: Readonly<Record<string, Installation>> = {
  byoh: ofSystem('Bring your own host: machines of clusters get registered hosts', 'byoh-system', (_, { namespace }) =>
    byohInstallation(namespace),
  ),
  chains: ofSystem('Tekton Chains: signed provenance of completed runs', 'tekton-chains', (_, { namespace }) =>
    chainsInstallation(namespace),
  ),
  connectors: ofSystem('Connectors operator: a Connector deploys an application', 'connectors-operator', (_, options) =>
    connectorsInstallation(options),
  ),
  dashboard: {
    summary: 'The page: objects, runs, graphs and logs, with the rights of its users',
    namespace: 'tektite-dashboard',
    values: { replicas: 1, login: 'token', resources: { requests: { cpu: '50m', memory: '128Mi' } } },
    objects: async (program, values, { namespace }) => dashboardReleaseObjects(program, values, namespace),
  },
  pipelines: ofSystem(
    'Tekton Pipelines: Tasks, Pipelines and their runs',
    'tekton-pipelines',
    (values, { namespace }) => pipelinesInstallation(values, namespace),
    { ...podImages, takeover: false },
  ),
  results: ofSystem(
    'Tekton Results: an archive of completed runs',
    'tekton-pipelines',
    (_, { namespace }) => resultsInstallation(namespace),
    // Its archive is for one process at a time, which has to give way to a drain.
    { replicas: 1, podDisruptionBudget: false },
  ),
  'tekton-operator': ofSystem(
    'Tekton Operator: a TektonConfig installs and upgrades Tekton',
    'tekton-operator',
    (values, { namespace }) => operatorInstallation(`v${version}`, values, namespace),
    { ...podImages, takeover: false, autoInstall: { enabled: false, namespace: 'tekton-pipelines' } },
  ),
  triggers: ofSystem(
    'Tekton Triggers: EventListeners start runs when events arrive',
    'tekton-pipelines',
    (_, { namespace }) => triggersInstallation(namespace),
    // Events are received by the process that leads.
    { replicas: 1, takeover: false },
  ),
};

export function findInstallation(name: string): Installation {
  const found = Object.hasOwn(installations, name) ? installations[name] : undefined;
  if (found) return found;
  const known = Object.keys(installations).sort().join(', ');
  throw new UserError(`there is no ${JSON.stringify(name)}; give one of ${known}`);
}

/** The values of an installation where its user sets none. */
export function defaultValues(installation: Installation, image: string): ReleaseValues {
  return { ...clusterValues({ image }), ...installation.values };
}

/** This program in the image of a release. */
export function programIn(image: string): OwnProgram {
  return { image, command: ['tektite'], folders: {}, webhookPort: 8443, statusPort: 9090 };
}
