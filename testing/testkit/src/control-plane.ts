import type { ApiServer, ApiServerOptions, UserInfo } from '@tektite/apiserver';
import type { KeyPair } from '@tektite/certificates';
import { type Client, type ClientConfig, type ClientOptions, httpTransport, type Transport } from '@tektite/client';
import { type RunningCluster, startCluster } from '@tektite/cluster';
import { type Clock, type Random, seededRandom, systemClock } from '@tektite/meta';

export interface ControlPlaneOptions extends Omit<ApiServerOptions, 'clock' | 'random'> {
  /** `virtualClock()`, or the machine's, which is the default. */
  readonly clock?: Clock;
  /** For names, uids and jitter, so that a run can be repeated. Default 1. */
  readonly seed?: number;
}

/** May do everything. */
export const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** A server of the Kubernetes API, for a test: the embedded one, or a real kube-apiserver. Shared cases take either. */
export interface Cluster extends AsyncDisposable {
  readonly clock: Clock;
  readonly random: Random;
  /** The administrator's client. */
  readonly client: Client;
  /** Another user's client, or one over another transport. Closed with the cluster. */
  clientFor(who: UserInfo | Transport, options?: ClientOptions): Client;
  /** A way to the server, to put something around. */
  transport(user?: UserInfo): Transport;
  /** Where it serves HTTPS on loopback, and how to reach it with the administrator's certificate. */
  https(): Promise<HttpsEndpoint>;
  close(): Promise<void>;
}

/** A control plane of this process. Its clients and transports are in process; HTTPS is started on first use. */
export interface ControlPlane extends Cluster {
  readonly server: ApiServer;
}

export interface HttpsEndpoint {
  readonly port: number;
  readonly authority: KeyPair;
  readonly config: ClientConfig;
  /** How to reach it with a certificate for this user. */
  configFor(user: Pick<UserInfo, 'name' | 'groups'>): Promise<ClientConfig>;
}

/**
 * Starts the embedded API server with nothing but the objects every cluster has. Takes milliseconds.
 *
 * @example
 * await using plane = await startControlPlane();
 * await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { clock = systemClock, seed = 1, ...server } = options;
  const cluster = await startCluster({ controllers: false, server, clock, random: seededRandom(seed) });
  let endpoint: Promise<HttpsEndpoint> | undefined;
  return {
    ...cluster,
    client: cluster.clientFor(admin),
    transport: (user = admin) => cluster.transport(user),
    https: () => (endpoint ??= openEndpoint(cluster)),
  };
}

async function openEndpoint(cluster: RunningCluster): Promise<HttpsEndpoint> {
  const api = await cluster.https();
  const configFor: HttpsEndpoint['configFor'] = (user) => api.configFor(user);
  return { port: api.port, authority: api.certificates.authority, configFor, config: await configFor(admin) };
}

/** A client over HTTPS, as the administrator. */
export async function httpsTransport(plane: Cluster): Promise<Transport> {
  return httpTransport((await plane.https()).config);
}
