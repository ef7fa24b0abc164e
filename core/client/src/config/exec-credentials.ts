import { spawn } from 'node:child_process';
import type { Clock } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import { bearer, type CredentialMaterial, type Credentials } from './credentials.ts';

/** The `exec` part of a kubeconfig user, with paths made absolute. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Printed when the command does not exist. */
  readonly installHint?: string;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** Cluster information for the plugin; absent when it did not ask. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

interface Cached {
  readonly material: CredentialMaterial;
  /** Milliseconds since the epoch; the plugin is asked again after that. */
  readonly expires: number;
}

/** A token is renewed a little before its end, so that it does not expire on the way. */
const leewayMilliseconds = 10_000;
const maxOutputBytes = 1024 * 1024;

/**
 * Credentials from a program, as `client.authentication.k8s.io` describes it. The program runs once for all requests that
 * wait for it; what it prints is used until it expires or the server refuses it.
 */
export class ExecCredentials implements Credentials {
  private readonly plugin: ExecPlugin;
  private readonly clock: Clock;
  private cached: Cached | undefined;
  private running: Promise<Cached> | undefined;

  constructor(plugin: ExecPlugin, clock: Clock) {
    this.plugin = plugin;
    this.clock = clock;
  }

  async current(signal?: AbortSignal): Promise<CredentialMaterial> {
    signal?.throwIfAborted();
    if (this.cached && this.clock.now() < this.cached.expires - leewayMilliseconds) return this.cached.material;
    this.running ??= this.ask().finally(() => {
      this.running = undefined;
    });
    this.cached = await untilAborted(this.running, signal);
    return this.cached.material;
  }

  refused(material: CredentialMaterial): boolean {
    if (this.cached?.material === material) this.cached = undefined;
    return true;
  }

  private async ask(): Promise<Cached> {
    const { plugin } = this;
    const interactive = plugin.interactiveMode !== 'Never' && process.stdin.isTTY;
    if (plugin.interactiveMode === 'Always' && !interactive)
      throw this.failure('it needs a terminal (interactiveMode: Always) and there is none');
    const { code, stdout, stderr } = await this.run(interactive);
    if (code !== 0) throw this.failure(`it ended with exit code ${code}${stderr === '' ? '' : `: ${stderr.trim()}`}`);
    return this.read(stdout);
  }

  private run(interactive: boolean): Promise<{ code: number; stdout: string; stderr: string }> {
    const { plugin } = this;
    const info = {
      kind: 'ExecCredential',
      apiVersion: plugin.apiVersion,
      spec: { interactive, ...(plugin.cluster ? { cluster: plugin.cluster } : {}) },
    };
    return new Promise((resolve, reject) => {
      const child = spawn(plugin.command, plugin.args, {
        env: {
          ...process.env,
          ...Object.fromEntries(plugin.env.map(({ name, value }) => [name, value])),
          KUBERNETES_EXEC_INFO: JSON.stringify(info),
        },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      });
      let stdout = '';
      let stderr = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (stdout.length > maxOutputBytes) child.kill();
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-4096);
      });
      child.on('error', (cause: NodeJS.ErrnoException) => {
        const hint = plugin.installHint === undefined ? '' : `\n${plugin.installHint}`;
        const missing = cause.code === 'ENOENT';
        reject(this.failure(missing ? `the command does not exist; install it${hint}` : cause.message, cause));
      });
      child.on('close', (code, signal) => resolve({ code: code ?? -1, stdout, stderr: signal ?? stderr }));
    });
  }

  private read(text: string): Cached {
    let credential: unknown;
    try {
      credential = JSON.parse(text);
    } catch (cause) {
      throw this.failure('it did not print JSON', cause);
    }
    const { kind, apiVersion, status } = (credential ?? {}) as Record<string, unknown>;
    if (kind !== 'ExecCredential') throw this.failure('it printed something that is no ExecCredential');
    if (apiVersion !== this.plugin.apiVersion)
      throw this.failure(`it printed apiVersion ${String(apiVersion)}, the kubeconfig says ${this.plugin.apiVersion}`);
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = (status ?? {}) as Record<
      string,
      unknown
    >;
    const hasPair = typeof clientCertificateData === 'string' && typeof clientKeyData === 'string';
    if (typeof token !== 'string' && !hasPair)
      throw this.failure('it printed neither a token nor a certificate and key');
    const expires =
      typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY;
    if (Number.isNaN(expires)) throw this.failure(`its expirationTimestamp ${String(expirationTimestamp)} is no time`);
    return {
      expires,
      material: {
        ...(typeof token === 'string' ? { authorization: bearer(token) } : {}),
        ...(hasPair ? { clientCertificate: { certificate: clientCertificateData, key: clientKeyData } } : {}),
      },
    };
  }

  private failure(message: string, cause?: unknown): ClientError {
    return new ClientError('CREDENTIALS_FAILED', `the credential plugin ${this.plugin.command} failed: ${message}`, {
      cause,
    });
  }
}

/** The plugin goes on for the others that wait for it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
