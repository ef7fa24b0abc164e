import {
  ApiServer,
  type ApiServerOptions,
  clientCertificateAuthenticator,
  inProcessTransport,
  type RunningHttpServer,
  serveHttps,
  type UserInfo,
} from '@tektite/apiserver';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import {
  Client,
  type ClientConfig,
  type ClientOptions,
  httpTransport,
  staticCredentials,
  type Transport,
} from '@tektite/client';
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
  const { clock = systemClock, seed = 1, ...rest } = options;
  const random = seededRandom(seed);
  const server = await ApiServer.create({
    // No controller creates service accounts here, so Pods run without them.
    disabledAdmissionPlugins: ['ServiceAccount'],
    ...rest,
    clock,
    random,
    authenticators: [clientCertificateAuthenticator, ...(rest.authenticators ?? [])],
  });
  const clients: Client[] = [];
  let endpoint: Promise<HttpsEndpoint & { readonly http: RunningHttpServer }> | undefined;

  const transport = (user: UserInfo = admin) => inProcessTransport(server, user);
  function clientFor(who: UserInfo | Transport, clientOptions: ClientOptions = {}): Client {
    const client = new Client('request' in who ? who : transport(who), { clock, random, ...clientOptions });
    clients.push(client);
    return client;
  }
  async function close(): Promise<void> {
    await Promise.all(clients.map((client) => client.close()));
    await (await endpoint)?.http.close();
    await server.close();
  }
  return {
    server,
    clock,
    random,
    client: clientFor(admin),
    clientFor,
    transport,
    https: () => (endpoint ??= serve(server)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Certificates are checked by the machine's clock, so that is the one they are made by. */
async function serve(server: ApiServer): Promise<HttpsEndpoint & { readonly http: RunningHttpServer }> {
  const authority = await createAuthority('testkit', systemClock);
  const hosts = ['127.0.0.1', 'localhost'];
  const certificate = await issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, systemClock);
  const http = await serveHttps({
    host: '127.0.0.1',
    port: 0,
    key: certificate.key,
    certificate: certificate.certificate,
    clientCa: authority.certificate,
    admit: (request) => server.admit(request),
    handle: (request) => server.handle(request),
  });
  const configFor = async ({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): Promise<ClientConfig> => ({
    server: `https://127.0.0.1:${http.port}`,
    certificateAuthority: authority.certificate,
    namespace: 'default',
    credentials: staticCredentials({
      clientCertificate: await issueCertificate(authority, { commonName: name, organizations: groups }, systemClock),
    }),
  });
  return { http, port: http.port, authority, configFor, config: await configFor(admin) };
}

/** A client over HTTPS, as the administrator. */
export async function httpsTransport(plane: Cluster): Promise<Transport> {
  return httpTransport((await plane.https()).config);
}
