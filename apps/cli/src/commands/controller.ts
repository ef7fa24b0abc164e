import {
  Client,
  type ClientConfig,
  httpTransport,
  isClientError,
  loadConfig,
  rateLimitedTransport,
} from '@tektite/client';
import { describeCauses, isControllerError, type ReconcileRecord, startSystems } from '@tektite/controller';
import { controllerMetrics, observedTransport, observeInformers } from '@tektite/controller/observe';
import type { Explain } from '@tektite/dashboard';
import { isStatusError, systemClock } from '@tektite/meta';
import { type LogLevel, logLevels, pinoLogger } from '../observe/pino-logger.ts';
import { serveStatus } from '../observe/status-server.ts';
import { startTelemetry } from '../observe/telemetry.ts';
import { stopSignal } from '../stop-signal.ts';
import { electionFlags, electionOf } from '../election/election-options.ts';
import { loadSystems } from '../catalog/load-systems.ts';
import { onlyControllers } from '../systems/only-controllers.ts';
import type { SystemSettings } from '../systems/system-settings.ts';
import { readDuration } from '../read-duration.ts';
import { readNumber, readPort, UserError } from '../user-error.ts';

export interface ControllerOptions extends SystemSettings {
  readonly systems: string;
  readonly controllers?: string;
  readonly uniqueProcessName?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly systemNamespace: string;
  readonly threadsPerController: string;
  readonly kubeApiQps: string;
  readonly kubeApiBurst: string;
  readonly disableHa?: boolean;
  readonly buckets?: string;
  readonly leaderElectLeaseDuration?: string;
  readonly leaderElectRenewDeadline?: string;
  readonly leaderElectRetryPeriod?: string;
  readonly install: boolean;
  readonly webhookPort: string;
  readonly webhookUrl?: string;
  readonly webhookService: string;
  readonly shutdownDelayDuration?: string;
  readonly statusAddress: string;
  readonly logLevel: string;
  readonly dashboardAddress?: string;
  readonly dashboardLogin: string;
  readonly dashboardReadOnly?: boolean;
  readonly dashboardTrustedProxy: readonly string[];
  readonly dashboardHostName: readonly string[];
}

/** A cluster kills a process 30 seconds after SIGTERM; Leases are released before, and the last webhooks answered. */
const graceMs = 20_000;

/** `tektite controller`: runs systems against a cluster until it receives a signal. */
export async function controller(options: ControllerOptions): Promise<void> {
  const settings = readSettings(options);
  const systems = onlyControllers(await loadSystems(options.systems, options), options.controllers);
  if (systems.length === 0) throw new UserError('--systems: name at least one system');
  const log = pinoLogger(settings.logLevel);
  const stopped = stopSignal();
  const telemetry = startTelemetry();
  try {
    const config = await configOf(options);
    await using client = connect(config, settings, telemetry);
    const running = await startSystems(systems, {
      client,
      name: options.uniqueProcessName ?? `tektite-${systems.map(({ name }) => name).join('-')}`,
      log,
      metrics: controllerMetrics(telemetry.meter),
      concurrency: settings.threads,
      graceMs,
      shutdownDelayMs: settings.shutdownDelayMs,
      install: options.install,
      ...(options.namespace ? { namespace: options.namespace } : {}),
      ...(settings.webhooks ? { webhooks: settings.webhooks } : {}),
      ...(options.disableHa ? {} : { election: await electionOf(client, options, settings.election) }),
    }).catch((error: unknown) => {
      throw explain(error, config);
    });
    try {
      observeInformers(telemetry.meter, running.manager.informers);
      const status = await serveStatus(
        {
          health: () => running.health(),
          explain: (kind, key) => running.manager.explain(kind, key),
          metrics: () => telemetry.readMetrics(),
        },
        settings.statusHost,
        settings.statusPort,
      ).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall === 'listen'
          ? new UserError(`--status-address: ${options.statusAddress} cannot be listened on (${error.code})`, 1)
          : error;
      });
      const page = await servePageOf(options, config, (kind, key) => running.manager.explain(kind, key));
      const served = page ? { dashboard: page.link } : {};
      log.info('running', { systems: systems.map(({ name }) => name), status: status.url, ...served });
      await stopped.promise;
      log.info('stopping');
      await page?.close();
      await running.stop();
      // Until now, it reported that this process is not ready any more.
      await status.close();
    } finally {
      await running.stop();
    }
  } finally {
    stopped.ignore();
    await telemetry.close();
  }
}

function readSettings(options: ControllerOptions) {
  const logLevel = logLevels.find((level) => level === options.logLevel) as LogLevel | undefined;
  if (!logLevel) throw new UserError(`--log-level must be one of ${logLevels.join(', ')}`);
  const status = readAddress('--status-address', options.statusAddress);
  const webhookPort = readPort('--webhook-port', options.webhookPort);
  const service = { namespace: options.systemNamespace, name: options.webhookService };
  const shutdownDelayMs = readDuration('--shutdown-delay-duration', options.shutdownDelayDuration ?? '0s');
  if (shutdownDelayMs > graceMs)
    throw new UserError(`--shutdown-delay-duration must be at most ${graceMs / 1000}s; a cluster does not wait longer`);
  return {
    shutdownDelayMs,
    logLevel,
    statusHost: status.host,
    statusPort: status.port,
    threads: readNumber('--threads-per-controller', options.threadsPerController, 1, 1000),
    qps: readNumber('--kube-api-qps', options.kubeApiQps, 0, 1_000_000),
    burst: readNumber('--kube-api-burst', options.kubeApiBurst, 1, 1_000_000),
    election: electionFlags(options),
    webhooks:
      webhookPort === 0 && !options.webhookUrl
        ? undefined
        : { service, port: webhookPort, ...(options.webhookUrl ? { url: options.webhookUrl } : {}) },
  };
}

function readAddress(option: string, text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port] = /^(.*):([0-9]+)$/.exec(text) ?? [];
  if (port === undefined)
    throw new UserError(
      `${option} must be an address and a port, as 127.0.0.1:9090 or :9090, not ${JSON.stringify(text)}`,
    );
  return { host: host.replaceAll(/^\[|\]$/g, '') || '0.0.0.0', port: readPort(option, port) };
}

/** The web page, if it is asked for. Its users log in and have their own rights, never those of the controllers. */
async function servePageOf(
  options: ControllerOptions,
  config: ClientConfig,
  explain: (kind: string, key: string) => readonly ReconcileRecord[],
) {
  if (options.dashboardAddress === undefined) return undefined;
  const { dashboardLogin: login, dashboardTrustedProxy: trustedProxies, dashboardHostName: hostNames } = options;
  const place = readAddress('--dashboard-address', options.dashboardAddress);
  const { serveForMany } = await import('../dashboard/serve-for-many.ts');
  const choice = { login, trustedProxies, hostNames, isReadOnly: options.dashboardReadOnly ?? false };
  const explained: Explain = async (kind, key) =>
    explain(kind, key).map((record) => ({ ...record, because: describeCauses(record) }));
  return serveForMany(config, choice, { ...place, explain: explained });
}

async function configOf({ kubeconfig, context }: ControllerOptions): Promise<ClientConfig> {
  return loadConfig({ ...(kubeconfig ? { kubeconfig } : {}), ...(context ? { context } : {}) });
}

function connect(
  config: ClientConfig,
  { qps, burst }: { readonly qps: number; readonly burst: number },
  observers: Pick<ReturnType<typeof startTelemetry>, 'meter' | 'tracer'>,
): Client {
  const observed = observedTransport(httpTransport(config), { ...observers, clock: systemClock });
  const limited = qps > 0 ? rateLimitedTransport(observed, { qps, burst }, systemClock) : observed;
  return new Client(limited);
}

/** Turns an error of a cluster into one sentence. */
function explain(error: unknown, { server }: ClientConfig): unknown {
  if (isControllerError(error, 'ELECTION_INVALID')) return new UserError(`--leader-elect-…: ${error.message}`);
  if (isStatusError(error)) return new UserError(`${server} refuses: ${error.message}`);
  return isClientError(error) ? new UserError(`${server} cannot be reached: ${error.message}`) : error;
}
