import { readFile } from 'node:fs/promises';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { defaultValues, findInstallation, programIn } from '../catalog/installations.ts';
import { checkValues, mergeValues } from '../chart/merge-values.ts';
import { putOut } from '../manifest-output.ts';
import { isIncluded, type ReleaseValues } from '../release/release-values.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface DeployOptions {
  readonly image: string;
  readonly values?: string;
  readonly replicas?: string;
  readonly systemNamespace?: string;
  readonly autoInstall?: string;
  readonly payload?: string;
  readonly takeover?: boolean;
  readonly login: string;
  readonly trustedProxy: readonly string[];
  readonly hostName: readonly string[];
  readonly output: string;
  readonly check?: string;
}

/** `tektite deploy`: prints what runs a system on a cluster, as a Deployment of an image that has this program. */
export async function deploy(name: string, options: DeployOptions): Promise<void> {
  const installation = findInstallation(name);
  const { image, output, check, payload, systemNamespace: namespace = installation.namespace } = options;
  const values = await readValues(defaultValues(installation, image), options);
  checkLogin(values);
  const parts = await installation.objects(programIn(values.image), values, {
    namespace,
    ...(payload === undefined ? {} : { payload }),
  });
  const objects = parts
    .filter(({ when }) => when === undefined || isIncluded(when, values))
    .map(({ object }) => installOrder(object))
    .sort((a, b) => a.rank - b.rank);
  await putOut(
    objects.map(({ object }) => object as KubeObject),
    { output, command: `tektite deploy ${name}`, ...(check === undefined ? {} : { check }) },
  );
}

/** The values of a file, as a chart takes them, and those that options name. */
async function readValues(defaults: ReleaseValues, options: DeployOptions): Promise<ReleaseValues> {
  const { values: file, replicas, autoInstall, login, takeover, trustedProxy, hostName } = options;
  const given = file === undefined ? {} : await readObject(file);
  checkValues(defaults, given, file ?? '');
  const merged = mergeValues(defaults, given);
  if (takeover && defaults.takeover === undefined)
    throw new UserError('--takeover: upstream has no further Deployments of this system', 2);
  const extraArgs = [
    ...merged.extraArgs,
    ...trustedProxy.flatMap((address) => ['--trusted-proxy', address]),
    ...hostName.flatMap((each) => ['--host-name', each]),
  ];
  return {
    ...merged,
    extraArgs,
    ...(replicas === undefined ? {} : { replicas: replicaCount(replicas) }),
    ...(autoInstall === undefined ? {} : { autoInstall: { enabled: true, namespace: autoInstall } }),
    ...(takeover ? { takeover } : {}),
    ...(defaults.login !== undefined && login !== 'token' ? { login } : {}),
  };
}

async function readObject(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserError(`--values: ${explainFileError(error, file) ?? (error as Error).message}`);
  });
  const value = parseYaml(text)[0]?.value ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new UserError(`--values: ${file} has no object`);
  return value;
}

function replicaCount(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new UserError(`--replicas must be a number, not ${JSON.stringify(text)}`, 2);
  return Number(text);
}

/** Without the address of the proxy, any client that reaches the page could name any user. */
function checkLogin({ login, extraArgs }: ReleaseValues): void {
  if (login === 'header' && !extraArgs.includes('--trusted-proxy'))
    throw new UserError('--login header: name the addresses of the proxy with --trusted-proxy', 2);
}

/** Namespaces before what is in them, definitions before all else. */
function installOrder(object: DynamicObject): { readonly object: DynamicObject; readonly rank: number } {
  const first = ['Namespace', 'CustomResourceDefinition'];
  const rank = first.indexOf(object.kind);
  return { object, rank: rank < 0 ? first.length : rank };
}
