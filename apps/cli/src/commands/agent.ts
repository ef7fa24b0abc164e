import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import {
  AgentIdentity,
  BundleDesk,
  dryRunSandbox,
  hostSandbox,
  insideFolder,
  overlayProblem,
  overlaySandbox,
  readFacts,
  type Sandbox,
  ScriptMetrics,
  startAgent,
} from '@tektite/byoh';
import { Client, httpTransport, isClientError } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { controllerMetrics } from '@tektite/controller/observe';
import { isStatusError, systemClock } from '@tektite/meta';
import { type LogLevel, logLevels, pinoLogger } from '../observe/pino-logger.ts';
import { serveStatus } from '../observe/status-server.ts';
import { startTelemetry } from '../observe/telemetry.ts';
import { readDuration } from '../read-duration.ts';
import { stopSignal } from '../stop-signal.ts';
import { readNumber, readPort, UserError } from '../user-error.ts';

export interface AgentCommandOptions {
  readonly namespace?: string;
  readonly label: readonly string[];
  readonly bootstrapKubeconfig?: string;
  readonly certExpiryDuration: string;
  readonly downloadpath: string;
  readonly skipInstallation?: boolean;
  readonly metricsbindaddress: string;
  readonly config?: string;
  readonly name?: string;
  readonly stateDir: string;
  readonly sandbox: string;
  readonly root?: string;
  readonly osImage?: string;
  readonly heartbeat: string;
  readonly logLevel: string;
}

/** `tektite agent`: runs on a host until it receives a signal. A fatal error ends it with an exit code. */
export async function agent(options: AgentCommandOptions): Promise<void> {
  const labels = readLabels(options.label);
  const certificateSeconds = readNumber('--certExpiryDuration', options.certExpiryDuration, 1, 999_999_999);
  const heartbeatMs = readDuration('--heartbeat', options.heartbeat);
  const logLevel = logLevels.find((level) => level === options.logLevel) as LogLevel | undefined;
  if (!logLevel) throw new UserError(`--log-level must be one of ${logLevels.join(', ')}`);
  const name = options.name ?? hostname();
  const log = pinoLogger(logLevel).with({ host: name });
  const stopped = stopSignal();
  const stopping = new AbortController();
  void stopped.promise.then(() => stopping.abort(new Error('the agent stops')));
  const telemetry = startTelemetry();
  try {
    const { sandbox, desk } = await openSandbox(options, name, log);
    const identity = await AgentIdentity.open({
      host: name,
      configFile: options.config ?? join(homedir(), '.byoh', 'config'),
      ...(options.bootstrapKubeconfig ? { bootstrapFile: options.bootstrapKubeconfig } : {}),
      certificateSeconds,
      clock: systemClock,
      log,
      metrics: new ScriptMetrics(systemClock),
      signal: stopping.signal,
    });
    const namespace = options.namespace ?? identity.clientConfig.namespace;
    await using client = new Client(httpTransport(identity.clientConfig));
    await using running = await startAgent({
      client,
      name,
      namespace,
      labels,
      stateFolder: options.sandbox === 'overlay' ? join(rootOf(options, name), 'state') : options.stateDir,
      sandbox,
      ...(desk ? { desk } : {}),
      downloadPath: options.downloadpath,
      skipInstallation: options.skipInstallation ?? false,
      heartbeatMs,
      log,
      metrics: controllerMetrics(telemetry.meter),
    });
    const renewal = identity.renew();
    const status = await serveAgent(options.metricsbindaddress, {
      health: () => running.manager.health(),
      explain: (kind, key) => running.manager.explain(kind, key),
      metrics: () => telemetry.readMetrics(),
    });
    log.info('running', {
      namespace,
      sandbox: sandbox.mode,
      ...(status ? { status: status.url } : {}),
    });
    await stopped.promise;
    log.info('stopping');
    await status?.close();
    await renewal;
  } catch (error) {
    if (stopping.signal.aborted) return;
    if (isStatusError(error) || isClientError(error))
      throw new UserError(`the host ${name} cannot register: ${error.message}`);
    throw error instanceof UserError || !(error instanceof Error) ? error : new UserError(error.message);
  } finally {
    stopped.ignore();
    await telemetry.close();
  }
}

/** `a=b,c=d`, or one at a time. */
function readLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  const labels: [string, string][] = [];
  for (const text of texts)
    for (const item of text.split(',')) {
      if (item.trim() === '' && text.includes(',')) continue;
      const equals = item.indexOf('=');
      if (equals < 1) throw new UserError(`--label must be key=value, not ${JSON.stringify(item)}`);
      labels.push([item.slice(0, equals).trim(), item.slice(equals + 1).trim()]);
    }
  return Object.fromEntries(labels);
}

function rootOf({ root }: AgentCommandOptions, name: string): string {
  return root ?? `/dev/shm/byoh-${name}`;
}

async function openSandbox(
  options: AgentCommandOptions,
  name: string,
  log: Logger,
): Promise<{ readonly sandbox: Sandbox; readonly desk?: BundleDesk }> {
  const clock = systemClock;
  switch (options.sandbox) {
    case 'host': {
      if (process.getuid?.() !== 0) log.warn('the agent does not run as root: scripts will most likely fail');
      const folder = join(options.stateDir, 'run');
      const desk = new BundleDesk(folder, folder, clock);
      return { sandbox: hostSandbox({ clock, folder, programs: desk.programs }), desk };
    }
    case 'overlay': {
      const root = rootOf(options, name);
      const problem = await overlayProblem(options.root ? join(root, '..') : '/dev/shm');
      if (problem !== undefined) throw new UserError(`--sandbox overlay: ${problem}`);
      const desk = new BundleDesk(join(root, 'agent'), insideFolder, clock);
      return { sandbox: await overlaySandbox({ clock, root, name }), desk };
    }
    case 'dry-run': {
      const own = await readFacts('/');
      const facts = options.osImage ? { ...own, info: { ...own.info, osimage: options.osImage } } : own;
      const onScript = ({ name: phase, script }: { readonly name: string; readonly script: string }) => {
        log.info('would run', { phase, lines: script.split('\n').length });
        return undefined;
      };
      return { sandbox: dryRunSandbox({ facts, onScript }) };
    }
    default:
      throw new UserError(`--sandbox must be host, overlay or dry-run, not ${JSON.stringify(options.sandbox)}`);
  }
}

async function serveAgent(address: string, subject: Parameters<typeof serveStatus>[0]) {
  if (address === '0') return undefined;
  const [, host = '', port] = /^(.*):([0-9]+)$/.exec(address) ?? [];
  if (port === undefined)
    throw new UserError(`--metricsbindaddress must be an address and a port, or 0, not ${JSON.stringify(address)}`);
  try {
    return await serveStatus(
      subject,
      host.replaceAll(/^\[|\]$/g, '') || '0.0.0.0',
      readPort('--metricsbindaddress', port),
    );
  } catch (error) {
    throw new UserError(
      `--metricsbindaddress: ${address} cannot be listened on (${(error as NodeJS.ErrnoException).code})`,
      1,
    );
  }
}
