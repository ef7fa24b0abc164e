import { randomBytes } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import {
  EncryptedJournal,
  type Encryption,
  JwtAuthenticator,
  type JwtIssuer,
  RevisionStore,
  rewriteStale,
  SegmentJournal,
  type TokenFile,
} from '@tektite/apiserver';
import { createFolder, type Transport } from '@tektite/client';
import { type NetworkName, type ServedApi, startCluster } from '@tektite/cluster';
import type { Logger, RunningSystems, System } from '@tektite/controller';
import { systemClock } from '@tektite/meta';
import type { ImageMapping } from '@tektite/node';
import { type AuditSettings, openAudit } from './audit-backends.ts';
import type { RuntimeName } from './cluster/runtimes.ts';
import { type Connection, writeKubeconfig } from './kubeconfig-file.ts';
import type { StatusAccess } from './observe/status-server.ts';
import { KeyFolder } from './pki/key-folder.ts';
import { ServerPki } from './pki/server-pki.ts';
import { StorageEvents } from './storage-events.ts';
import type { ObservedSystems } from './systems/observe-systems.ts';
import { openTemporaryFolder } from './temporary-folder.ts';
import type { Started } from './undone-after.ts';

export interface ControlPlaneOptions {
  readonly dataDir: string;
  readonly inMemory: boolean;
  readonly host: string;
  readonly port: number;
  /** The address at which other machines reach the API. */
  readonly advertise: string;
  /** Further names and addresses for the certificate of the API. */
  readonly names?: readonly string[];
  readonly tokens?: TokenFile;
  /** Issuers of tokens whose users are believed. */
  readonly issuers?: readonly JwtIssuer[];
  /** Records requests. */
  readonly audit?: AuditSettings;
  /** Encrypts objects in the data folder. */
  readonly encryption?: Encryption;
  readonly disabledAdmissionPlugins: readonly string[];
  /** The runtime of Pods. Without it, this is an API server alone, and not a cluster. */
  readonly runtime?: RuntimeName;
  /** The network of Pods. Default: the machine's. */
  readonly network?: NetworkName;
  /** Routes from this machine to Pods and Services. */
  readonly routes?: boolean;
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
  readonly status?: StatusAccess;
  /** A connection of the administrator within this process. */
  readonly transport: () => Transport;
  close(): Promise<void>;
}

/** Starts the embedded control plane: keys, storage, cluster. The parts that were started are stopped when one fails. */
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
  const { host, port, advertise, runtime, maxInflightBytes, systems = [], log } = options;
  const folder = await openFolder(options, started);
  const onNotice = (text: string) => void process.stderr.write(`note: ${text}\n`);
  const events = new StorageEvents(systemClock, (error) => log.error('storage', { error }));
  // The storage first: its lock owns the data folder, in which the keys are made.
  const storage = options.inMemory
    ? new RevisionStore({ maxBytes: maxStateBytes() })
    : await openStorage(join(folder, 'state'), options.encryption, started, onNotice, events);
  const keyFolder = new KeyFolder(join(folder, 'pki'));
  const pki = await ServerPki.load(keyFolder, [host, advertise, ...(options.names ?? [])], systemClock);
  started.push(async () => pki[Symbol.dispose]());
  const observed = systems.length > 0 ? (await import('./systems/observe-systems.ts')).observeSystems() : undefined;
  if (observed) started.push(() => observed.close());
  const kubeconfigFile = join(folder, 'kubeconfig');
  const connect = ({ host, port }: Pick<ServedApi, 'host' | 'port'>): Connection => ({
    server: `https://${host}:${port}`,
    authority: pki.bundle,
    ...pki.admin,
  });
  const onServing = async (api: ServedApi) => {
    events.use(api.server);
    await writeKubeconfig(kubeconfigFile, connect(api), { replace: true });
    pki.keepFresh(
      async () => {
        api.http.use({ ...pki.server, clientCa: pki.bundle });
        await writeKubeconfig(kubeconfigFile, connect(api), { replace: true });
        await options.onRenewed?.(connect(api));
        onNotice(`certificates were renewed; ${kubeconfigFile} has the new ones`);
      },
      (error) => log.error('certificates', { error }),
    );
  };
  const audit = options.audit && openAudit(options.audit, started, log);
  // Other components read the key from the folder: it has to be there before the first token is asked for.
  const signingKey = keyFolder.signingKey();
  signingKey.catch(() => undefined);
  const { clusterNode } = await import('./cluster/cluster-node.ts');
  const cluster = await startCluster({
    folder,
    storage,
    server: {
      authenticators: [
        ...(options.tokens ? [options.tokens] : []),
        ...(options.issuers ? [new JwtAuthenticator(options.issuers, systemClock)] : []),
      ],
      serviceAccountKey: () => keyFolder.signingKey(),
      ...(audit ? { audit } : {}),
      // The ServiceAccount plugin waits for accounts that a controller creates.
      disabledAdmissionPlugins: [...(runtime ? [] : ['ServiceAccount']), ...options.disabledAdmissionPlugins],
    },
    https: { host, port, advertise, ...(maxInflightBytes === undefined ? {} : { maxInflightBytes }) },
    certificates: pki,
    controllers: runtime !== undefined,
    ...(runtime && runtime !== 'none'
      ? {
          node: await clusterNode({
            runtime,
            network: options.network ?? 'host',
            routes: options.routes,
            onNotice,
            images: options.images,
          }),
        }
      : {}),
    systems,
    ...(observed ? { systemsOptions: { ...observed.options, observe: observed.transport } } : {}),
    log,
    onNotice,
    onServing,
  });
  started.push(() => cluster.close());
  await signingKey;
  const connection = connect(await cluster.https());
  const transport = () => cluster.transport();
  if (!observed || !cluster.systems) return { connection, kubeconfigFile, transport };
  const status = await serveStatusPages(observed, cluster.systems, folder, started);
  return { connection, kubeconfigFile, status, transport };
}

/** Serves the status of the systems on a free port. Its address and its token are in the folder, for `tektite explain`. */
async function serveStatusPages(
  observed: ObservedSystems,
  systems: RunningSystems,
  folder: string,
  started: Started,
): Promise<StatusAccess> {
  const token = randomBytes(24).toString('base64url');
  const status = await observed.serve(systems, token);
  const files = { url: join(folder, 'status-url'), token: join(folder, 'status-token') };
  await writeFile(files.token, `${token}\n`, { mode: 0o600 });
  await writeFile(files.url, `${status.url}\n`);
  started.push(async () => {
    for (const file of Object.values(files)) await rm(file, { force: true });
    await status.close();
  });
  return { url: status.url, token };
}

/** The folder for state, keys and the kubeconfig. One that exists keeps its permissions: it may hold more than this. */
async function openFolder(options: ControlPlaneOptions, started: Started): Promise<string> {
  if (!options.inMemory) {
    // Mounts of containers need paths that hold wherever one is.
    const folder = resolve(options.dataDir);
    if (createFolder(folder, 0o700)) await chmod(folder, 0o700);
    return folder;
  }
  const { path, remove } = await openTemporaryFolder();
  started.push(remove);
  return path;
}

async function openStorage(
  folder: string,
  encryption: Encryption | undefined,
  started: Started,
  onNotice: (text: string) => void,
  events: StorageEvents,
): Promise<RevisionStore> {
  const onProblem = events.onProblem.bind(events);
  const journal = new EncryptedJournal(await SegmentJournal.open(folder, { onNotice, onProblem }), encryption);
  // The storage closes its journal; until there is one, that is done here.
  started.push(() => journal.close());
  const storage = new RevisionStore({ journal, maxBytes: maxStateBytes() });
  started.pop();
  started.push(() => storage.close());
  await rewriteStale(storage, journal.stale);
  return storage;
}

/** Objects take about three times their size in memory; the rest of the heap is for requests and controllers. */
function maxStateBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 5);
}
