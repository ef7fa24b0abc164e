import {
  ApiServer,
  clientCertificateAuthenticator,
  createSigningKey,
  defaultCompactionIntervalMs,
  HistoryCompactor,
  inProcessTransport,
  type KubeletTrust,
  type UserInfo,
} from '@tektite/apiserver';
import { Client, type ClientOptions, type Transport } from '@tektite/client';
import { type RunningSystems, silentLogger } from '@tektite/controller';
import { type Clock, type Random, systemClock, systemRandom } from '@tektite/meta';
import type { PodNetwork } from '@tektite/node';
import { ApiEndpoint } from './api-endpoint.ts';
import type { ClusterNode, ClusterOptions } from './cluster-options.ts';
import { kubeletTrust } from './kubelet-trust.ts';
import { machineServiceRange, podServiceRange } from './network-addresses.ts';
import { type Started, startTogether, undoAll } from './start-together.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A cluster that runs. Closing it stops all of its parts, the last started first. */
export interface RunningCluster extends AsyncDisposable {
  readonly server: ApiServer;
  /** Volumes, logs and the data of the node. None for an API server alone. */
  readonly folder?: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The administrator's client, in process. */
  readonly client: Client;
  /** The systems, where some were given. */
  readonly systems?: RunningSystems;
  /** Another user's client, or one over another transport. Closed with the cluster. */
  clientFor(who: UserInfo | Transport, options?: ClientOptions): Client;
  /** An in-process transport. Default: the administrator's. */
  transport(user?: UserInfo): Transport;
  /** The API over HTTPS. */
  https(): Promise<ApiEndpoint>;
  close(): Promise<void>;
}

/** The administrator: may do everything. */
export const admin: UserInfo = { name: 'tektite-admin', groups: ['system:masters', 'system:authenticated'] };

/**
 * Starts a cluster in this process: the API server, the built-in controllers, this machine as its node, and systems.
 *
 * Flow: API server, compaction of history, HTTPS; then controllers, node and systems side by side. Parts that are not asked for are
 * not loaded.
 *
 * Guarantees
 * - It starts as a whole or not at all: the parts that were started are stopped when one fails.
 * - Closing it leaves no timer, socket, process or temporary folder behind.
 *
 * @example
 * await using cluster = await startCluster({ node: { runtime: 'simulated' }, systems: [memcachedSystem] });
 * await cluster.client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec: { size: 3 } });
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RunningCluster> {
  const started: Started = [];
  try {
    return await startParts(options, started);
  } catch (error) {
    await undoAll(started).catch(() => undefined);
    throw error;
  }
}

async function startParts(options: ClusterOptions, started: Started): Promise<RunningCluster> {
  const { clock = systemClock, random = systemRandom, log = silentLogger, onNotice = () => undefined } = options;
  const { controllers = true, node, systems = [] } = options;
  const folder = controllers || node ? (options.folder ?? (await temporaryFolder(started))) : undefined;
  // A machine that has no network for Pods may not run Pods at all: then that error is enough.
  const notices: string[] = [];
  const noticeLater = (text: string) => void notices.push(text);
  const network =
    node && folder !== undefined ? await openNetwork(node, folder, { onNotice, noticeLater }, started) : undefined;
  const range = network ? podServiceRange : folder === undefined ? undefined : machineServiceRange(folder);
  let endpoint: Promise<ApiEndpoint> | undefined;
  const trust = options.https ? kubeletTrust(async () => (await https()).certificates) : undefined;
  const server = await createServer(options, { range, network, trust }, started);
  const close = () => undoAll(started);
  const transport = (user: UserInfo = admin) => inProcessTransport(server, user);
  const clientFor = (who: UserInfo | Transport, clientOptions: ClientOptions = {}): Client => {
    const client = new Client('request' in who ? who : transport(who), { clock, random, ...clientOptions });
    started.push(() => client.close());
    return client;
  };
  if (options.storage) {
    const { moveServices } = await import('./move-services.ts');
    if (range !== undefined) await moveServices(server, range);
    const { prepareSystems } = await import('./run-systems.ts');
    await prepareSystems(server, systems, started, onNotice);
  }
  const https = () => (endpoint ??= ApiEndpoint.open(server, options, started));
  if (node || options.https) {
    const api = await https();
    await options.onServing?.(api);
  }

  let running: RunningSystems | undefined;
  const parts = { server, clock, random, log, onNotice };
  await startTogether(started, [
    ...(options.https
      ? [
          async () => {
            const { advertised: host, port, certificates } = await https();
            await server.announce({ host, port, clientCa: certificates.bundle });
          },
        ]
      : []),
    ...(controllers && folder !== undefined
      ? [
          async (own: Started) => {
            const { runBuiltInControllers } = await import('./run-built-in-controllers.ts');
            const certificates = endpoint ? (await endpoint).certificates : undefined;
            await runBuiltInControllers({ ...parts, folder, certificates }, own);
          },
        ]
      : []),
    ...(node && folder !== undefined
      ? [
          async (own: Started) => {
            const { runNode } = await import('./run-node.ts');
            await runNode({ ...parts, folder, node, network, api: await https() }, own);
            for (const text of notices) onNotice(text);
          },
        ]
      : []),
    ...(systems.length > 0
      ? [
          async (own: Started) => {
            const { runSystems } = await import('./run-systems.ts');
            const isOnce = options.storage === undefined;
            running = await runSystems({ ...parts, systems, isOnce, options: options.systemsOptions }, own);
          },
        ]
      : []),
  ]);
  return {
    server,
    ...(folder === undefined ? {} : { folder }),
    clock,
    random,
    client: clientFor(admin),
    ...(running ? { systems: running } : {}),
    clientFor,
    transport,
    https,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function temporaryFolder(started: Started): Promise<string> {
  const { path, remove } = await makeTemporaryFolder();
  started.push(remove);
  return path;
}

async function openNetwork(
  node: ClusterNode,
  folder: string,
  { onNotice, noticeLater }: Readonly<Record<'onNotice' | 'noticeLater', (text: string) => void>>,
  started: Started,
): Promise<PodNetwork | undefined> {
  if ((node.network ?? 'host') === 'host') return undefined;
  const { openPodNetwork } = await import('./open-pod-network.ts');
  const network = await openPodNetwork(node, folder, noticeLater);
  if (!network) return undefined;
  let isClosing = false;
  void network.ended.then(
    () => isClosing || onNotice('the network of Pods has ended: new Pods cannot start; start again'),
  );
  started.push(() => {
    isClosing = true;
    return network[Symbol.asyncDispose]();
  });
  return network;
}

interface ServerParts {
  readonly range: string | undefined;
  readonly network: PodNetwork | undefined;
  /** Absent: the API is for this process, and no other machine joins it. */
  readonly trust: (() => Promise<KubeletTrust>) | undefined;
}

async function createServer(
  { storage, server = {}, clock, random, controllers = true, log = silentLogger }: ClusterOptions,
  { range, network, trust }: ServerParts,
  started: Started,
): Promise<ApiServer> {
  const created = await ApiServer.create({
    onError: (error) => log.error('API server', { error }),
    // The ServiceAccount plugin waits for accounts that a controller creates.
    disabledAdmissionPlugins: controllers ? [] : ['ServiceAccount'],
    ...(range !== undefined ? { serviceRange: range } : {}),
    ...(trust ? { kubeletTrust: trust } : {}),
    ...(network ? { dial: (...target) => network.connect(...target) } : {}),
    // An RSA key, as long-lived clusters have it, takes longer to make than many a cluster lives.
    ...(storage ? { storage } : { serviceAccountKey: () => createSigningKey('ec') }),
    ...server,
    ...(clock ? { clock } : {}),
    ...(random ? { random } : {}),
    authenticators: [clientCertificateAuthenticator, ...(server.authenticators ?? [])],
  });
  started.push(() => created.close());
  if (!storage) return created;
  const compactor = new HistoryCompactor(storage, clock ?? systemClock, defaultCompactionIntervalMs, (error) =>
    log.error('storage', { error }),
  );
  started.push(async () => compactor[Symbol.dispose]());
  return created;
}
