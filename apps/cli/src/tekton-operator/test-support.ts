import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, kinds } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import { findCondition, isStatusError, type KnativeCondition, type KubeObject } from '@tektite/meta';
import { SimulatedRuntime, startNode } from '@tektite/node';
import type { Kind } from '@tektite/schema';
import {
  folderPayload,
  type PayloadSource,
  TektonConfig,
  type TektonOperatorOptions,
  tektonOperatorSystem,
} from '@tektite/tekton-operator';
import { type ControlPlane, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startWorkloads } from '@tektite/workloads';
import { pinoLogger } from '../observe/pino-logger.ts';

/** Release files of Tekton, as an operator ships them. They lie beside the repository, where there are any. */
const releases = new URL('../../../../../shared/data/payload/', import.meta.url).pathname;
export const hasReleases: boolean = existsSync(releases);
if (!hasReleases) process.stderr.write('releases of Tekton: ../shared is absent; nothing is installed from them\n');

const source = folderPayload(releases);
const loaded = new Map<string, ReturnType<PayloadSource['load']>>();

/** Files are read in real time, in which a virtual clock is far ahead: they are all read before. */
export async function loadReleases(): Promise<void> {
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
    ...source,
    load: (folder, version) => loaded.get(`${folder}/${version}`) ?? source.load(folder, version),
    versions: async (folder) =>
      (await source.versions(folder)).filter((version) => (versions[folder] ?? version) === version),
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

const settings = { IMAGE_JOB_PRUNER_TKN: 'tkn:latest' };

/** A whole cluster in virtual time, with Pods that are timers, and the operator in it. */
export async function operatorCluster(options: Partial<TektonOperatorOptions> = {}): Promise<OperatorCluster> {
  await loadReleases();
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  const stops: (() => Promise<unknown>)[] = [() => plane.close()];
  const workloads = await startWorkloads({ client: plane.clientFor({ name: 'system:kube-controller-manager', groups: ['system:masters'] }) });
  stops.push(() => workloads.stop());
  const dataDir = await mkdtemp(join(tmpdir(), 'tektite-operator-'));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const node = await clock.until(
    startNode({
      client: plane.clientFor({ name: 'system:node', groups: ['system:masters'] }),
      runtime: new SimulatedRuntime({ clock, simulate: () => ({}) }),
      name: 'here',
      dataDir,
    }),
  );
  stops.push(async () => node[Symbol.asyncDispose]());
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
      ...options,
      ...more,
    });
    running = await clock.until(
      startSystems([system], {
        client: plane.clientFor({ name: 'system:tekton-operator', groups: ['system:masters'] }),
        graceMs: 0,
        log: pinoLogger(process.env.TEKTITE_LOG ?? 'silent'),
        webhooks: {
          host: plane.server.localWebhooks,
          service: { namespace: 'tekton-operator', name: 'tekton-operator-webhook' },
        },
      }),
    );
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
      for (let stop = stops.pop(); stop; stop = stops.pop()) await clock.until(stop());
    },
  };
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
  };
}

type WithConditions = KubeObject & { readonly status?: { readonly conditions?: readonly KnativeCondition[] } };

/** What an object says of itself. */
export async function readyOf(client: Client, kind: Kind, name: string): Promise<KnativeCondition | undefined> {
  const object = await find<WithConditions>(client, kind, name);
  return findCondition(object?.status?.conditions, 'Ready');
}

export async function find<T extends KubeObject>(client: Client, kind: Kind, name: string): Promise<T | undefined> {
  try {
    return (await client.get(kind, { name })) as unknown as T;
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Moves time on until something holds. */
export async function eventually(
  { clock }: OperatorCluster,
  holds: () => Promise<boolean>,
  { seconds = 600, what = 'it' }: { readonly seconds?: number; readonly what?: string } = {},
): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    if (await holds()) return;
    await clock.advance(1000);
  }
  throw new Error(`${what} did not happen within ${seconds} s`);
}

/** Until the TektonConfig is ready; what it said last is in the error. */
export async function untilReady(cluster: OperatorCluster, kind: Kind = TektonConfig, name = 'config'): Promise<void> {
  const { client } = cluster;
  try {
    await eventually(cluster, async () => (await readyOf(client, kind, name))?.status === 'True');
  } catch (error) {
    throw new Error(`${kind.kind} ${name}: ${JSON.stringify(await readyOf(client, kind, name))}`, { cause: error });
  }
}

export { kinds };
