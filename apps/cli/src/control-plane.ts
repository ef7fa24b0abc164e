import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiServer,
  clientCertificateAuthenticator,
  createAuthority,
  createSigningKey,
  issueCertificate,
  type KeyPair,
  LmdbJournal,
  RevisionStore,
  serveHttps,
  type TokenFile,
} from '@tektite/apiserver';
import { systemClock } from '@tektite/meta';
import { type Connection, writeKubeconfig } from './kubeconfig-file.ts';

export interface ControlPlaneOptions {
  readonly dataDir: string;
  readonly inMemory: boolean;
  readonly host: string;
  readonly port: number;
  readonly tokens?: TokenFile;
  readonly disabledAdmissionPlugins: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** A control plane that serves. */
export interface ControlPlane {
  readonly connection: Connection;
  readonly kubeconfigFile: string;
  close(): Promise<void>;
}

/** Starts the embedded control plane: keys, storage, API server, HTTPS. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const folder = options.inMemory ? await mkdtemp(join(tmpdir(), 'tektite-')) : options.dataDir;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const storage = options.inMemory
    ? new RevisionStore()
    : new RevisionStore({ journal: await LmdbJournal.open(join(folder, 'state')) });
  const keys = await loadKeys(join(folder, 'pki'), options.host);
  const server = await ApiServer.create({
    storage,
    authenticators: [clientCertificateAuthenticator, ...(options.tokens ? [options.tokens] : [])],
    serviceAccountKey: () => loadKey(join(folder, 'pki', 'sa.key')),
    // The ServiceAccount plugin waits for accounts that a controller makes; there is none yet.
    disabledAdmissionPlugins: ['ServiceAccount', ...options.disabledAdmissionPlugins],
    onError: options.onError,
  });
  const http = await serveHttps({
    host: options.host,
    port: options.port,
    key: keys.server.key,
    certificate: keys.server.certificate,
    clientCa: keys.authority.certificate,
    handle: (request) => server.handle(request),
  });
  const connection: Connection = {
    server: `https://${reachable(options.host)}:${http.port}`,
    authority: keys.authority.certificate,
    certificate: keys.admin.certificate,
    key: keys.admin.key,
  };
  const kubeconfigFile = join(folder, 'kubeconfig');
  await rm(kubeconfigFile, { force: true });
  await writeKubeconfig(kubeconfigFile, connection);
  return {
    connection,
    kubeconfigFile,
    async close() {
      await http.close();
      await server.close();
      if (options.inMemory) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Somebody who listens everywhere is reached on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

interface Keys {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
}

/** Keys are made once for a data folder, so that kubeconfigs stay good across restarts. */
async function loadKeys(folder: string, host: string): Promise<Keys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = await loadPair(folder, 'ca', () => createAuthority('tektite', systemClock));
  const hosts = [
    ...new Set([host, '127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']),
  ];
  const server = await issueCertificate(authority, { commonName: 'kube-apiserver', hosts }, systemClock);
  const admin = await loadPair(folder, 'admin', () =>
    issueCertificate(authority, { commonName: 'tektite-admin', organizations: ['system:masters'] }, systemClock),
  );
  return { authority, server, admin };
}

async function loadPair(folder: string, name: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
  const certificateFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    return { certificate: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  }
  const pair = await make();
  await writeFile(keyFile, pair.key, { mode: 0o600 });
  await writeFile(certificateFile, pair.certificate);
  return pair;
}

/** Signs the tokens of service accounts; made when the first one is asked for. */
async function loadKey(file: string): Promise<string> {
  if (existsSync(file)) return readFile(file, 'utf8');
  const key = await createSigningKey();
  await writeFile(file, key, { mode: 0o600 });
  return key;
}
