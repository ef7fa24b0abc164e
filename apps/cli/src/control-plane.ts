import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import {
  ApiServer,
  clientCertificateAuthenticator,
  defaultCompactionIntervalMs,
  HistoryCompactor,
  RevisionStore,
  SegmentJournal,
  serveHttps,
  type TokenFile,
} from '@tektite/apiserver';
import { createFolder } from '@tektite/client';
import type { Logger, System } from '@tektite/controller';
import { systemClock } from '@tektite/meta';
import type { ImageMapping } from '@tektite/node';
import type { RuntimeName } from './cluster/runtimes.ts';
import { serviceRange } from './cluster/service-range.ts';
import { KeyFolder } from './pki/key-folder.ts';
import { ServerPki } from './pki/server-pki.ts';
import { type Connection, writeKubeconfig } from './kubeconfig-file.ts';
import type { Started } from './start-together.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { StorageEvents } from './storage-events.ts';

export interface ControlPlaneOptions {
  readonly dataDir: string;
  readonly inMemory: boolean;
  readonly host: string;
  readonly port: number;
  readonly tokens?: TokenFile;
  readonly disabledAdmissionPlugins: readonly string[];
  /** The runtime of Pods. Without it, this is an API server alone, and not a cluster. */
  readonly runtime?: RuntimeName;
  /** Replaces images where Pods are processes of this machine. */
  readonly images?: ImageMapping;
  /** Run in this process, on the server's own side: no HTTP, no certificates between. */
  readonly systems?: readonly System[];
  /** Called with the connection after certificates were renewed. */
  readonly onRenewed?: (connection: Connection) => Promise<void>;
  /** Memory for bodies of requests under way, and for answers that clients do not read. */
  readonly maxInflightBytes?: number;
  readonly log: Logger;
}

/** A control plane that serves. */
export interface ControlPlane {
  readonly connection: Connection;
  readonly kubeconfigFile: string;
  /** Where health, metrics and explanations are, when systems run. */
  readonly statusUrl?: string;
  close(): Promise<void>;
}

/**
 * Starts the embedded control plane: keys, storage, API server, HTTPS. When a part fails, the started parts are
 * stopped.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const started: Started = [];
  const close = async () => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop();
  };
  try {
    return { ...(await startParts(options, started)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(options: ControlPlaneOptions, started: Started): Promise<Omit<ControlPlane, 'close'>> {
  const folder = await openFolder(options, started);
  const onNotice = (text: string) => void process.stderr.write(`note: ${text}\n`);
  const events = new StorageEvents(systemClock, (error) => options.log.error('storage', { error }));
  // The storage first: its lock owns the data folder, in which the keys are made.
  const storage = options.inMemory
    ? new RevisionStore({ maxBytes: maxStateBytes() })
    : await openStorage(join(folder, 'state'), started, onNotice, events);
  const keyFolder = new KeyFolder(join(folder, 'pki'));
  const pki = await ServerPki.load(keyFolder, options.host, systemClock);
  const server = await ApiServer.create({
    storage,
    authenticators: [clientCertificateAuthenticator, ...(options.tokens ? [options.tokens] : [])],
    serviceAccountKey: () => keyFolder.signingKey(),
    ...(options.runtime ? { serviceRange: serviceRange(folder) } : {}),
    // The ServiceAccount plugin waits for accounts that a controller makes.
    disabledAdmissionPlugins: [...(options.runtime ? [] : ['ServiceAccount']), ...options.disabledAdmissionPlugins],
    onError: (error) => options.log.error('API server', { error }),
  });
  started.push(() => server.close());
  events.use(server);
  const compactor = new HistoryCompactor(storage, systemClock, defaultCompactionIntervalMs, (error) =>
    options.log.error('storage', { error }),
  );
  started.push(async () => compactor[Symbol.dispose]());
  const { prepareSystems } = await import('./systems/run-systems.ts');
  await prepareSystems(server, options.systems ?? [], started, onNotice);
  const http = await serveHttps({
    host: options.host,
    port: options.port,
    ...pki.server,
    clientCa: pki.bundle,
    ...(options.maxInflightBytes === undefined ? {} : { maxInflightBytes: options.maxInflightBytes }),
    admit: (request) => server.admit(request),
    handle: (request) => server.handle(request),
  });
  started.push(() => http.close());
  const connect = (): Connection => ({
    server: `https://${reachable(options.host)}:${http.port}`,
    authority: pki.bundle,
    ...pki.admin,
  });
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeKubeconfig(kubeconfigFile, connect(), { replace: true });
  pki.keepFresh(
    async () => {
      http.use({ ...pki.server, clientCa: pki.bundle });
      await writeKubeconfig(kubeconfigFile, connect(), { replace: true });
      await options.onRenewed?.(connect());
      onNotice(`certificates were renewed; ${kubeconfigFile} has the new ones`);
    },
    (error) => options.log.error('certificates', { error }),
  );
  started.push(async () => pki[Symbol.dispose]());
  const connection = connect();
  // Loaded only where they are needed: a server alone does without all of it.
  if (options.runtime) {
    const { runCluster } = await import('./cluster/run-cluster.ts');
    await runCluster(
      {
        server,
        runtime: options.runtime,
        ...(options.images ? { images: options.images } : {}),
        folder,
        pki,
        api: { host: reachable(options.host), port: http.port },
        log: options.log,
        onNotice,
      },
      started,
    );
  }
  if (!options.systems?.length) return { connection, kubeconfigFile };
  const { runObservedSystems } = await import('./systems/run-systems.ts');
  const statusUrl = await runObservedSystems(server, options.systems, folder, options.log, started);
  return { connection, kubeconfigFile, statusUrl };
}

/** The folder for state, keys and the kubeconfig. One that exists keeps its permissions: it may hold more than this. */
async function openFolder(options: ControlPlaneOptions, started: Started): Promise<string> {
  if (!options.inMemory) {
    // Mounts of containers need paths that hold wherever one is.
    const folder = resolve(options.dataDir);
    if (createFolder(folder, 0o700)) await chmod(folder, 0o700);
    return folder;
  }
  return makeTemporaryFolder(started);
}

async function openStorage(
  folder: string,
  started: Started,
  onNotice: (text: string) => void,
  events: StorageEvents,
): Promise<RevisionStore> {
  const onProblem = events.onProblem.bind(events);
  const journal = await SegmentJournal.open(folder, { onNotice, onProblem });
  // The storage closes its journal; until there is one, that is done here.
  started.push(() => journal.close());
  const storage = new RevisionStore({ journal, maxBytes: maxStateBytes() });
  started.pop();
  started.push(() => storage.close());
  return storage;
}

/** Objects take about three times their size in memory; the rest of the heap is for requests and controllers. */
function maxStateBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 5);
}

/** A server that listens on all addresses is reached on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
