import type { DynamicObject, KubeObject } from '@tektite/meta';
import { putOut } from '../manifest-output.ts';
import { connectorsObjects } from '../release/connectors-release.ts';
import { dashboardObjects } from '../release/dashboard-release.ts';
import { operatorObjects } from '../catalog/operator-release.ts';
import type { OwnProgram } from '../release/own-program.ts';
import { pipelinesObjects } from '../release/pipelines-release.ts';
import { triggersObjects } from '../release/triggers-release.ts';
import { UserError } from '../user-error.ts';
import { version } from '../version.ts';

export interface DeployOptions {
  readonly image: string;
  readonly systemNamespace?: string;
  readonly autoInstall?: string;
  readonly payload?: string;
  readonly login: string;
  readonly trustedProxy: readonly string[];
  readonly hostName: readonly string[];
  readonly output: string;
  readonly check?: string;
}

type MakeRelease = (
  program: OwnProgram,
  options: DeployOptions,
) => readonly DynamicObject[] | Promise<readonly DynamicObject[]>;

const releases: Readonly<Record<string, MakeRelease>> = {
  connectors: (program, { systemNamespace: namespace = 'connectors-operator', payload }) =>
    connectorsObjects(program, { namespace, ...(payload ? { payload } : {}) }),
  dashboard: (program, { systemNamespace: namespace = 'tektite-dashboard', login, trustedProxy, hostName }) =>
    dashboardObjects(program, { namespace, login, trustedProxies: trustedProxy, hostNames: hostName }),
  pipelines: (program) => pipelinesObjects(program),
  'tekton-operator': (program, { systemNamespace: namespace = 'tekton-operator', autoInstall }) =>
    operatorObjects(`v${version}`, program, { namespace, ...(autoInstall ? { autoInstall } : {}) }),
  triggers: (program) => triggersObjects(program),
};

/** `tektite deploy`: prints what runs a system on a cluster, as a Deployment of an image that has this program. */
export async function deploy(name: string, options: DeployOptions): Promise<void> {
  const make = Object.hasOwn(releases, name) ? releases[name] : undefined;
  if (!make)
    throw new UserError(`there is no ${JSON.stringify(name)}; give one of ${Object.keys(releases).join(', ')}`);
  const { image, output, check } = options;
  const program = { image, command: ['tektite'], folders: {}, webhookPort: 8443, statusPort: 9090 };
  const objects = (await make(program, options)).map(installOrder).sort((a, b) => a.rank - b.rank);
  await putOut(
    objects.map(({ object }) => object as KubeObject),
    { output, command: `tektite deploy ${name}`, ...(check === undefined ? {} : { check }) },
  );
}

/** Namespaces before what is in them, definitions before all else. */
function installOrder(object: DynamicObject): { readonly object: DynamicObject; readonly rank: number } {
  const first = ['Namespace', 'CustomResourceDefinition'];
  const rank = first.indexOf(object.kind);
  return { object, rank: rank < 0 ? first.length : rank };
}
