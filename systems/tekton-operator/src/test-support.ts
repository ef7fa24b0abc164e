import { existsSync } from 'node:fs';
import type { Client } from '@tektite/client';
import { installKinds, type Logger, type RunningSystems, startSystems } from '@tektite/controller';
import { findCondition, type KnativeCondition, type KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type ControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { TektonConfig } from './kinds/tekton-config.ts';
import { folderPayload } from './payload/folder-payload.ts';
import type { PayloadSource } from './payload/payload-source.ts';
import type { TektonOperatorOptions } from './operator-options.ts';
import { tektonOperatorSystem } from './system.ts';

/** Release files of Tekton, as an operator ships them. They lie beside the repository, where there are any. */
export const releases = new URL('../../../../shared/data/payload/', import.meta.url).pathname;
export const hasReleases: boolean = existsSync(releases);
if (!hasReleases) process.stderr.write('releases of Tekton: ../shared is absent; nothing is installed from them\n');

const source = folderPayload(releases);
const loaded = new Map<string, ReturnType<PayloadSource['load']>>();

/** Files are read in real time, in which a virtual clock is far ahead: they are all read before. */
async function loadReleases(): Promise<void> {
  for (const folder of ['tekton-pipeline', 'tekton-trigger', 'tekton-dashboard', 'tekton-chain'])
    for (const version of await source.versions(folder)) {
      const key = `${folder}/${version}`;
      if (!loaded.has(key)) loaded.set(key, source.load(folder, version));
      await loaded.get(key);
    }
}

/** A payload of the real releases; of some components another version than the newest. */
export function realReleases(versions: Readonly<Record<string, string>> = {}): PayloadSource {
  return {
    describe: 'the releases',
    versions: async (folder) =>
      [...loaded.keys()]
        .filter((key) => key.startsWith(`${folder}/`))
        .map((key) => key.slice(folder.length + 1))
        .filter((version) => (versions[folder] ?? version) === version),
    load: (folder, version) => loaded.get(`${folder}/${version}`) ?? source.load(folder, version),
  };
}

export interface OperatorCluster extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly clock: VirtualClock;
  readonly client: Client;
  /** Ends the operator, and starts another one. */
  restart(options: Partial<TektonOperatorOptions>): Promise<void>;
  stopOperator(): Promise<void>;
}

export interface OperatorClusterOptions extends Partial<TektonOperatorOptions> {
  readonly log?: Logger;
  /** A client for the operator, other than the administrator's. */
  readonly operatorClient?: (plane: ControlPlane) => Client;
  /** Kinds that the server has before the operator starts. */
  readonly server?: readonly Kind[];
}

export const settings = { IMAGE_JOB_PRUNER_TKN: 'tkn:latest' };

/** A whole cluster in virtual time, with Pods that are timers, and the operator in it. */
export async function operatorCluster(options: OperatorClusterOptions = {}): Promise<OperatorCluster> {
  if (hasReleases) await loadReleases();
  const { log, operatorClient, server = [], ...given } = options;
  const clock = virtualClock();
  const plane = await throughTime(clock, startSimulatedCluster({ clock }));
  const client = operatorClient?.(plane) ?? plane.clientFor({ name: 'tekton-operator', groups: ['system:masters'] });
  if (server.length > 0) await throughTime(clock, installKinds(plane.client, server));
  let running: RunningSystems | undefined;
  const stopOperator = async () => {
    await clock.until(running?.stop() ?? Promise.resolve());
    running = undefined;
  };
  const restart = async (more: Partial<TektonOperatorOptions>) => {
    await stopOperator();
    const system = tektonOperatorSystem({
      version: 'v0.81.1',
      payloads: [realReleases()],
      environment: settings,
      ...given,
      ...more,
    });
    const service = { namespace: 'tekton-operator', name: 'tekton-operator-webhook' };
    const webhooks = { host: plane.server.localWebhooks, service };
    running = await clock.until(startSystems([system], { client, graceMs: 0, webhooks, ...(log ? { log } : {}) }));
  };
  await restart({});
  return {
    plane,
    clock,
    client: plane.client,
    restart,
    stopOperator,
    async [Symbol.asyncDispose]() {
      await stopOperator();
      await throughTime(clock, plane.close());
    },
  };
}

/** Waits for something that needs files as well as timers. */
async function throughTime<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => void (isSettled = true);
  work.then(settled, settled);
  while (!isSettled) await clock.advance(100);
  return work;
}

/** A TektonConfig as users write it, of what there are releases of. */
export function tektonConfig(spec: object = {}): KubeObject {
  return {
    apiVersion: 'operator.tekton.dev/v1alpha1',
    kind: 'TektonConfig',
    metadata: { name: 'config' },
    spec: {
      profile: 'all',
      targetNamespace: 'tekton-pipelines',
      result: { disabled: true },
      platforms: { kubernetes: { pipelinesAsCode: { enable: false } } },
      ...spec,
    },
  } as KubeObject;
}

type WithConditions = KubeObject & { readonly status?: { readonly conditions?: readonly KnativeCondition[] } };

/** The condition of an object. */
export async function conditionOf(
  client: Client,
  kind: Kind,
  name: string,
  type = 'Ready',
): Promise<KnativeCondition | undefined> {
  const object = await find<WithConditions>(client, kind, name);
  return findCondition(object?.status?.conditions, type);
}

export async function find<T extends KubeObject>(
  client: Client,
  kind: Kind,
  name: string,
  namespace?: string,
): Promise<T | undefined> {
  return (await client.getOrUndefined(kind, { name, ...(namespace ? { namespace } : {}) })) as T | undefined;
}

/** Moves time on until something holds. */
export async function eventually(
  { clock }: OperatorCluster,
  holds: () => Promise<boolean>,
  seconds = 600,
): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    if (await holds()) return;
    await clock.advance(1000);
  }
  throw new Error(`it did not happen within ${seconds} s`);
}

/** Until an object is ready; what it said last is in the error. */
export async function untilReady(cluster: OperatorCluster, kind: Kind = TektonConfig, name = 'config'): Promise<void> {
  const { client } = cluster;
  try {
    await eventually(cluster, async () => (await conditionOf(client, kind, name))?.status === 'True');
  } catch (error) {
    const said = JSON.stringify(await conditionOf(client, kind, name));
    throw new Error(`${kind.kind} ${name}: ${said}`, { cause: error });
  }
}
