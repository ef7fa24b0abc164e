import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createKey, readCertificate } from '@tektite/certificates';
import {
  Client,
  type ClientConfig,
  type CredentialMaterial,
  createFolder,
  type Credentials,
  httpTransport,
  loadConfig,
} from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { type Clock, sleep } from '@tektite/meta';
import type { ScriptMetrics } from '../script-metrics.ts';
import { requestCertificate } from './request-certificate.ts';

export interface IdentityOptions {
  readonly host: string;
  /** The agent's own kubeconfig. */
  readonly configFile: string;
  /** The one it is given to begin with. */
  readonly bootstrapFile?: string;
  readonly certificateSeconds: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ScriptMetrics;
  readonly signal: AbortSignal;
}

/** Renewed when so much of its time is left. */
const renewAtPart = 0.2;
const retryMs = 5000;
const shortMs = 24 * 60 * 60_000;

/**
 * The identity of an agent: a client certificate that it requested, in a separate kubeconfig. The agent renews it while
 * it is valid; new connections use the new one.
 */
export class AgentIdentity implements Credentials {
  private readonly options: IdentityOptions;
  private material: CredentialMaterial;
  private readonly config: ClientConfig;
  /** When this process got its certificate. */
  private since: number;

  private constructor(options: IdentityOptions, config: ClientConfig, material: CredentialMaterial) {
    this.options = options;
    this.config = config;
    this.material = material;
    this.since = options.clock.now();
  }

  /** Reads the kubeconfig; where there is none, makes one with the bootstrap kubeconfig. */
  static async open(options: IdentityOptions): Promise<AgentIdentity> {
    const { configFile, bootstrapFile, clock } = options;
    const known = await readFile(configFile, 'utf8').catch(() => undefined);
    if (known === undefined) {
      if (!bootstrapFile)
        throw new Error(
          `there is no ${configFile}; register this host with --bootstrap-kubeconfig, or name its kubeconfig with --config`,
        );
      await enroll({ ...options, bootstrapFile });
    }
    const config = await loadConfig({ kubeconfig: configFile, clock });
    return new AgentIdentity(options, config, (await config.credentials?.current()) ?? {});
  }

  /** How to reach the API, always with the certificate that is good now. */
  get clientConfig(): ClientConfig {
    return { ...this.config, credentials: this };
  }

  current(): Promise<CredentialMaterial> {
    return Promise.resolve(this.material);
  }

  refused(material: CredentialMaterial): boolean {
    return material !== this.material;
  }

  /** Keeps the certificate good, until the signal. Those who use a token are left alone. */
  async renew(): Promise<void> {
    const { clock, log, metrics, signal } = this.options;
    while (!signal.aborted) {
      const facts = readCertificate(this.material.clientCertificate?.certificate ?? '');
      if (!facts) return;
      metrics.certificateEnds(facts.notAfter);
      const due = renewalTime(facts, this.since);
      await sleep(clock, Math.max(0, due - clock.now()), signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.renewNow();
        log.info('the certificate was renewed');
      } catch (error) {
        if (signal.aborted) return;
        log.error('the certificate could not be renewed', { error });
        await sleep(clock, retryMs, signal).catch(() => undefined);
      }
    }
  }

  private async renewNow(): Promise<void> {
    const { host, configFile, certificateSeconds: seconds, signal, clock } = this.options;
    const key = await keyIn(`${configFile}.key.tmp`);
    await using client = new Client(httpTransport(this.clientConfig), { clock });
    const certificate = await requestCertificate({ client, host, key, seconds, signal, isRenewal: true });
    const { server, namespace, certificateAuthority = '', insecureSkipTlsVerify = false } = this.config;
    await writeKubeconfig(configFile, {
      server,
      namespace,
      authority: certificateAuthority,
      insecure: insecureSkipTlsVerify,
      certificate,
      key,
    });
    this.material = { clientCertificate: { certificate, key } };
    this.since = clock.now();
    await rm(`${configFile}.key.tmp`, { force: true });
  }
}

/** Signers date short certificates back by minutes: of those, only the time that is ahead counts. */
export function renewalTime(
  { notBefore, notAfter }: { readonly notBefore: number; readonly notAfter: number },
  since: number,
): number {
  const start = notAfter - notBefore < shortMs ? Math.max(notBefore, since) : notBefore;
  return notAfter - (notAfter - start) * renewAtPart;
}

async function enroll({
  host,
  configFile,
  bootstrapFile,
  certificateSeconds: seconds,
  clock,
  signal,
}: IdentityOptions & { readonly bootstrapFile: string }): Promise<void> {
  const config = await loadConfig({ kubeconfig: bootstrapFile, clock });
  await using client = new Client(httpTransport(config), { clock });
  const key = await keyIn(join(dirname(configFile), 'byoh-client.key.tmp'));
  const certificate = await requestCertificate({ client, host, key, seconds, signal });
  const { server, namespace, certificateAuthority = '', insecureSkipTlsVerify = false } = config;
  await writeKubeconfig(configFile, {
    server,
    namespace,
    authority: certificateAuthority,
    insecure: insecureSkipTlsVerify,
    certificate,
    key,
  });
  await rm(join(dirname(configFile), 'byoh-client.key.tmp'), { force: true });
}

/** The key in a file; a new one when there is none. Kept until it has a certificate, so that a restart asks for the same. */
async function keyIn(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known?.includes('PRIVATE KEY')) return known;
  const key = await createKey();
  await writePrivate(file, key);
  return key;
}

interface Enrolled {
  readonly server: string;
  /** The namespace of the bootstrap kubeconfig, in which the host registers. */
  readonly namespace: string;
  readonly authority: string;
  readonly insecure: boolean;
  readonly certificate: string;
  readonly key: string;
}

async function writeKubeconfig(
  file: string,
  { server, namespace, authority, insecure, certificate, key }: Enrolled,
): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'default-cluster',
        cluster: {
          server,
          ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
          ...(authority === '' || insecure ? {} : { 'certificate-authority-data': encode(authority) }),
        },
      },
    ],
    users: [
      {
        name: 'default-auth',
        user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) },
      },
    ],
    contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', user: 'default-auth', namespace } }],
    'current-context': 'default-context',
  };
  await writePrivate(file, JSON.stringify(config));
}

/** Atomic, and readable by this user alone. */
async function writePrivate(file: string, text: string): Promise<void> {
  createFolder(dirname(file), 0o700);
  const next = `${file}.new`;
  {
    await using handle = await open(next, 'w', 0o600);
    await handle.writeFile(text);
    await handle.sync();
  }
  await rename(next, file);
}
