import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Encryption,
  isFolderError,
  type JwtIssuer,
  readAuthenticationConfiguration,
  readEncryptionConfiguration,
  TokenFile,
} from '@tektite/apiserver';
import type { System } from '@tektite/controller';
import { systemClock } from '@tektite/meta';
import pc from 'picocolors';
import { unknownPlugins } from '../admission-plugin-names.ts';
import { type AuditOptions, readAudit } from '../audit-backends.ts';
import { announcement } from '../cluster/announcement.ts';
import { readImages } from '../cluster/read-images.ts';
import { readNetwork, readRuntime, runsSteps, runtimeNames } from '../cluster/runtimes.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane.ts';
import type { ServedPage } from '../dashboard/serve-page.ts';
import { requireAll } from '../doctor/check.ts';
import { advertisedAddress } from '../join/advertised-address.ts';
import { type Connection, writeKubeconfig } from '../kubeconfig-file.ts';
import { textLogger } from '../observe/text-logger.ts';
import { stopSignal } from '../stop-signal.ts';
import { loadSystems } from '../catalog/load-systems.ts';
import type { SystemSettings } from '../systems/system-settings.ts';
import { type UpRecord, writeUpRecord } from '../up-record.ts';
import { explainFileError, readNumber, readPort, UserError } from '../user-error.ts';
import { version } from '../version.ts';

export interface UpOptions extends SystemSettings, AuditOptions {
  readonly dataDir: string;
  readonly inMemory?: boolean;
  readonly host: string;
  readonly port: string;
  readonly advertiseAddress?: string;
  readonly tlsSan: readonly string[];
  readonly writeKubeconfig?: string;
  readonly tokenAuthFile?: string;
  readonly authenticationConfig?: string;
  readonly encryptionProviderConfig?: string;
  readonly disableAdmissionPlugins?: string;
  readonly maxInflightBytes: string;
  readonly apiOnly?: boolean;
  readonly systems?: string;
  readonly runtime: string;
  readonly images?: string;
  readonly network: string;
  readonly routePods?: boolean;
  /** False with `--no-dashboard`. */
  readonly dashboard?: boolean;
  readonly dashboardPort?: string;
}

/** `tektite up`: serves until it receives a signal. */
export async function up(options: UpOptions): Promise<void> {
  const port = readPort('--port', options.port);
  const maxInflightBytes = readNumber('--max-inflight-bytes', options.maxInflightBytes, 1_000_000, 999_999_999);
  const disabled = readPlugins(options.disableAdmissionPlugins);
  const images = options.images ? await readImages(options.images) : undefined;
  const settings = { ...options, ...(images ? { imageMapping: images } : {}) };
  const systems = options.apiOnly ? [] : await loadSystems(options.systems ?? '', settings);
  const runtime = options.apiOnly ? undefined : readRuntime(options.runtime, runtimeNames);
  const network = readNetwork(options.network);
  if (runtime && runsSteps(runtime) && systems.some(({ name }) => name === 'pipelines')) await checkSteps();
  const tokens = options.tokenAuthFile ? await readTokens(options.tokenAuthFile) : undefined;
  const encryption = await readEncryption(options.encryptionProviderConfig);
  const audit = await readAudit(options);
  const issuers = await readIssuers(options.authenticationConfig);
  // Installed before the start, so that a control plane that is stopped while it starts leaves nothing behind either.
  const stopped = stopSignal();
  try {
    const plane = await start(options, port, {
      disabledAdmissionPlugins: disabled,
      maxInflightBytes,
      systems,
      ...(runtime ? { runtime } : {}),
      network,
      ...(options.routePods ? { routes: true } : {}),
      ...(images ? { images } : {}),
      ...(tokens ? { tokens } : {}),
      ...(encryption ? { encryption } : {}),
      ...(audit ? { audit } : {}),
      ...(issuers ? { issuers } : {}),
    });
    const page = options.apiOnly || options.dashboard === false ? undefined : await servePageOf(plane, options, port);
    const record = {
      ...recordOf(plane, options, systems),
      ...(page ? { dashboard: page.link.replace(/#.*/, '') } : {}),
    };
    const forget = writeUpRecord(record);
    try {
      if (options.writeKubeconfig) await shareConnection(options.writeKubeconfig, plane.connection);
      process.stdout.write(
        announcement(record, { hasContext: options.writeKubeconfig !== undefined, pageLink: page?.link }),
      );
      await stopped.promise;
      process.stderr.write(pc.dim('\nstopping…\n'));
    } finally {
      forget();
      await page?.close();
      await plane.close();
    }
  } finally {
    stopped.ignore();
  }
}

/** Serves the web page, on loopback whatever --host says: its sessions have the administrator's rights. */
async function servePageOf(plane: ControlPlane, options: UpOptions, apiPort: number): Promise<ServedPage> {
  const { servePage } = await import('../dashboard/serve-page.ts');
  const { explainFrom } = await import('../dashboard/explain-from.ts');
  const isPortChosen = options.dashboardPort !== undefined;
  const chosen = options.dashboardPort ?? String(apiPort === 0 ? 0 : apiPort + 1);
  try {
    return await servePage({
      transport: plane.transport,
      host: '127.0.0.1',
      port: readPort('--dashboard-port', chosen),
      isPortChosen,
      sessionFile: join(dirname(plane.kubeconfigFile), 'dashboard-sessions.json'),
      ...(plane.status ? { explain: explainFrom(plane.status) } : {}),
    });
  } catch (error) {
    await plane.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new UserError(`port ${chosen} is taken; choose another with --dashboard-port, or 0 for any free one`);
    throw error;
  }
}

/** Without it, no TaskRun would succeed. */
async function checkSteps(): Promise<void> {
  const { checkStepProgram } = await import('../doctor/machine-checks.ts');
  requireAll([checkStepProgram()]);
}

async function start(
  options: UpOptions,
  port: number,
  more: Pick<
    ControlPlaneOptions,
    | 'audit'
    | 'disabledAdmissionPlugins'
    | 'encryption'
    | 'issuers'
    | 'maxInflightBytes'
    | 'systems'
    | 'tokens'
    | 'runtime'
    | 'network'
    | 'images'
  >,
): Promise<ControlPlane> {
  try {
    return await startControlPlane({
      dataDir: options.dataDir,
      inMemory: options.inMemory === true,
      host: options.host,
      port,
      advertise: advertisedAddress(options.host, options.advertiseAddress, networkInterfaces()),
      names: options.tlsSan,
      ...more,
      onRenewed: async (connection) => {
        if (options.writeKubeconfig) await shareConnection(options.writeKubeconfig, connection);
      },
      log: textLogger((line) => void process.stderr.write(`${line}\n`)),
    });
  } catch (error) {
    throw explain(error, options, port);
  }
}

/** Turns an error of the start that is not a bug into one sentence. */
function explain(error: unknown, { host, dataDir }: UpOptions, port: number): unknown {
  if (isFolderError(error)) return new UserError(error.message);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UserError(`port ${port} is taken; choose another with --port, or 0 for any free one`);
  if (code === 'EACCES' && syscall === 'listen')
    return new UserError(`no permission to listen on port ${port}; choose one above 1023 with --port`);
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return new UserError(`--host: this machine has no address ${JSON.stringify(host)}`);
  const sentence = explainFileError(error, dataDir);
  return sentence === undefined ? error : new UserError(`${sentence}. Choose another folder with --data-dir.`);
}

async function shareConnection(file: string, connection: Connection): Promise<void> {
  try {
    await writeKubeconfig(file, connection);
  } catch (error) {
    const sentence = explainFileError(error, file);
    throw sentence === undefined ? error : new UserError(`--write-kubeconfig: ${sentence}`);
  }
}

function readPlugins(text = ''): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const [unknown] = unknownPlugins(names);
  if (unknown !== undefined)
    throw new UserError(`--disable-admission-plugins: there is no plugin ${JSON.stringify(unknown)}`);
  return names;
}

async function readTokens(file: string): Promise<TokenFile> {
  try {
    return TokenFile.parse(await readFile(file, 'utf8'), file);
  } catch (error) {
    throw new UserError(`--token-auth-file: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}

async function readEncryption(file: string | undefined): Promise<Encryption | undefined> {
  if (file === undefined) return undefined;
  try {
    return readEncryptionConfiguration(await readFile(file, 'utf8'));
  } catch (error) {
    const cause = explainFileError(error, file) ?? `${file}: ${(error as Error).message}`;
    throw new UserError(`--encryption-provider-config: ${cause}`);
  }
}

async function readIssuers(file: string | undefined): Promise<readonly JwtIssuer[] | undefined> {
  if (file === undefined) return undefined;
  try {
    return readAuthenticationConfiguration(await readFile(file, 'utf8'));
  } catch (error) {
    const cause = explainFileError(error, file) ?? `${file}: ${(error as Error).message}`;
    throw new UserError(`--authentication-config: ${cause}`);
  }
}

function recordOf(plane: ControlPlane, options: UpOptions, systems: readonly System[]): Omit<UpRecord, 'process'> {
  return {
    startedAt: new Date(systemClock.now()).toISOString(),
    version,
    folder: dirname(plane.kubeconfigFile),
    inMemory: options.inMemory === true,
    server: plane.connection.server,
    kubeconfig: plane.kubeconfigFile,
    ...(plane.status ? { statusUrl: plane.status.url } : {}),
    runtime: options.apiOnly ? 'none' : options.runtime,
    systems: systems.map(({ name }) => name),
  };
}
