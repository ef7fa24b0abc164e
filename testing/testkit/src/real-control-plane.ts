import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UserInfo } from '@tektite/apiserver';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import {
  Client,
  type ClientConfig,
  type ClientOptions,
  httpTransport,
  kinds,
  staticCredentials,
  type Transport,
} from '@tektite/client';
import { seededRandom, systemClock } from '@tektite/meta';
import { type ClusterBinaries, clusterBinaries, takesNoFsync } from './cluster-binaries.ts';
import { admin, type Cluster, type HttpsEndpoint } from './control-plane.ts';
import { freePorts } from './free-ports.ts';
import { ServerProcess } from './server-process.ts';

/** A real kube-apiserver with its etcd, on loopback. */
export interface RealControlPlane extends Cluster {
  /** `v1.20.2` */
  readonly version: string;
  /** The end of what both servers printed, for a failing test. */
  logTail(lines?: number): string;
  /** Requests that were denied, a line each: `system:serviceaccount:a:b may not get /api/v1/…`. */
  denials(): Promise<readonly string[]>;
}

export interface RealControlPlaneOptions {
  /** Pods get tokens of their service accounts, which have to exist, as have the ConfigMaps `kube-root-ca.crt`. Default no. */
  readonly serviceAccounts?: boolean;
}

const startTimeoutMs = 60_000;

/**
 * Starts etcd and kube-apiserver in a temporary folder, with generated certificates, and waits until they serve. Takes
 * a few seconds. Users are impersonated by the administrator. No controller runs, so service accounts are not asked
 * for.
 *
 * The programs come from `KUBEBUILDER_ASSETS` or the PATH.
 */
export async function startRealControlPlane(options: RealControlPlaneOptions = {}): Promise<RealControlPlane> {
  const binaries = clusterBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'tektite-cluster-'));
  const processes: ServerProcess[] = [];
  const clients: Client[] = [];
  async function close(): Promise<void> {
    await Promise.all(clients.map((client) => client.close()));
    for (const process of processes.toReversed()) await process.stop();
    await rm(folder, { recursive: true, force: true });
  }
  try {
    const [clientPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    processes.push(startEtcd(binaries, folder, clientPort, peerPort));
    const { authority, process } = await startServer(binaries, { folder, etcdPort: clientPort, port, ...options });
    processes.push(process);
    const cluster = clusterOf(await endpointOf(authority, port), clients);
    await process.ready(() => isServing(cluster.client), systemClock, startTimeoutMs);
    const { body } = await cluster.client.request({ method: 'GET', path: '/version' });
    return {
      ...cluster,
      version: (body as { gitVersion: string }).gitVersion,
      denials: () => deniedIn(join(folder, auditLog)),
      logTail: (lines = 30) => processes.map((server) => server.logTail(lines)).join('\n'),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function startEtcd({ etcd }: ClusterBinaries, folder: string, port: number, peerPort: number): ServerProcess {
  const peer = `http://127.0.0.1:${peerPort}`;
  const args = [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${port}`,
    `--advertise-client-urls=http://127.0.0.1:${port}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    ...(takesNoFsync(etcd) ? ['--unsafe-no-fsync'] : []),
  ];
  return new ServerProcess(etcd, args, { name: 'etcd', logFile: join(folder, 'etcd.log') });
}

async function startServer(
  { kubeApiserver }: ClusterBinaries,
  {
    folder,
    etcdPort,
    port,
    serviceAccounts = false,
  }: RealControlPlaneOptions & { readonly folder: string; readonly etcdPort: number; readonly port: number },
): Promise<{ readonly authority: KeyPair; readonly process: ServerProcess }> {
  const authority = await createAuthority('testkit', systemClock);
  const hosts = ['127.0.0.1', 'localhost'];
  const serving = await issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, systemClock);
  const tokens = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const file = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const args = [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${await file('serving.crt', serving.certificate)}`,
    `--tls-private-key-file=${await file('serving.key', serving.key)}`,
    `--client-ca-file=${await file('ca.crt', authority.certificate)}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${await file('tokens.pub', tokens.publicKey)}`,
    `--service-account-signing-key-file=${await file('tokens.key', tokens.privateKey)}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    ...(serviceAccounts ? tokenFlags(kubeApiserver) : ['--disable-admission-plugins=ServiceAccount']),
    `--audit-policy-file=${await file('audit.json', auditPolicy)}`,
    `--audit-log-path=${join(folder, auditLog)}`,
    '--allow-privileged=true',
    '--enable-bootstrap-token-auth=true',
  ];
  const process = new ServerProcess(kubeApiserver, args, {
    name: 'kube-apiserver',
    logFile: join(folder, 'kube-apiserver.log'),
  });
  return { authority, process };
}

/** Servers before 1.21 have tokens for Pods on request only; later ones refuse a gate that they do not have any more. */
function tokenFlags(kubeApiserver: string): readonly string[] {
  const { stdout } = spawnSync(kubeApiserver, ['--version'], { encoding: 'utf8' });
  const minor = Number(/v1\.(\d+)/.exec(stdout)?.[1]);
  return minor < 21 ? ['--feature-gates=BoundServiceAccountTokenVolume=true,RootCAConfigMap=true'] : [];
}

const auditLog = 'audit.log';
const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
});

async function deniedIn(file: string): Promise<readonly string[]> {
  const events = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('"code":403'));
  const lines = events.map((line) => {
    const { user, impersonatedUser, verb, requestURI } = JSON.parse(line) as {
      readonly user: { readonly username: string };
      readonly impersonatedUser?: { readonly username: string };
      readonly verb: string;
      readonly requestURI: string;
    };
    return `${(impersonatedUser ?? user).username} may not ${verb} ${requestURI}`;
  });
  return [...new Set(lines)];
}

async function endpointOf(authority: KeyPair, port: number): Promise<HttpsEndpoint> {
  const configFor = async ({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): Promise<ClientConfig> => ({
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: authority.certificate,
    namespace: 'default',
    credentials: staticCredentials({
      clientCertificate: await issueCertificate(authority, { commonName: name, organizations: groups }, systemClock),
    }),
  });
  return { port, authority, configFor, config: await configFor(admin) };
}

function clusterOf(endpoint: HttpsEndpoint, clients: Client[]): Omit<Cluster, 'close' | typeof Symbol.asyncDispose> {
  const random = seededRandom(1);
  const transport = (user: UserInfo = admin): Transport =>
    httpTransport(
      user === admin
        ? endpoint.config
        : { ...endpoint.config, impersonate: { user: user.name, groups: user.groups, extra: user.extra ?? {} } },
    );
  function clientFor(who: UserInfo | Transport, options: ClientOptions = {}): Client {
    const client = new Client('request' in who ? who : transport(who), { clock: systemClock, random, ...options });
    clients.push(client);
    return client;
  }
  return {
    clock: systemClock,
    random,
    client: clientFor(admin),
    clientFor,
    transport,
    https: () => Promise.resolve(endpoint),
  };
}

/** Ready, and with the namespace that every test uses. */
async function isServing(client: Client): Promise<void> {
  await client.request({ method: 'GET', path: '/readyz' });
  await client.get(kinds.Namespace, { name: 'default' });
}
