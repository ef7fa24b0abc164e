import { join } from 'node:path';
import { type Client, createFolder } from '@tektite/client';
import { type Logger, Manager, type ManagerOptions, silentLogger } from '@tektite/controller';
import { agentController } from './agent-controller.ts';
import { StateFile } from './agent-state.ts';
import { BundleDesk } from './bundle/bundle-desk.ts';
import { beat } from './heartbeat.ts';
import { registerHost } from './register-host.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { ScriptMetrics } from './script-metrics.ts';

export interface AgentOptions {
  readonly client: Client;
  /** The name of the host, and of the node that it may become. */
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Where the agent keeps what it has done. */
  readonly stateFolder: string;
  readonly sandbox: Sandbox;
  /** Where scripts ask for bundles; none where scripts are not run. */
  readonly desk?: BundleDesk;
  /** Fills in `{{.BundleDownloadPath}}`. */
  readonly downloadPath?: string;
  readonly skipInstallation?: boolean;
  readonly heartbeatMs?: number;
  readonly scriptTimeoutMs?: number;
  readonly log?: Logger;
  readonly metrics?: ManagerOptions['metrics'];
}

/** An agent at work. */
export interface RunningAgent extends AsyncDisposable {
  readonly manager: Manager;
  stop(): Promise<void>;
}

const defaultDownloadPath = '/var/lib/byoh/bundles';

/**
 * Starts the agent of a host: registers it, sends heartbeats, and reconciles its ByoHost.
 *
 * @example await using agent = await startAgent({ client, name: hostname(), namespace: 'default', stateFolder, sandbox
 * });
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { client, name, namespace, sandbox, log = silentLogger, downloadPath = defaultDownloadPath } = options;
  checkPath(downloadPath);
  const stopping = new AbortController();
  const { signal } = stopping;
  createFolder(options.stateFolder, 0o700);
  await options.desk?.open();
  const facts = await sandbox.facts();
  await registerHost({ client, namespace, name, labels: options.labels ?? {}, facts, signal });
  const manager = new Manager(client, {
    name: 'hostagent-controller',
    namespace,
    log,
    graceMs: 10_000,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  manager.add(
    agentController({
      client,
      name,
      namespace,
      sandbox,
      facts,
      state: new StateFile(join(options.stateFolder, 'agent.json')),
      downloadPath,
      skipInstallation: options.skipInstallation ?? false,
      timeoutMs: options.scriptTimeoutMs ?? 30 * 60_000,
      metrics: new ScriptMetrics(client.clock),
      log,
    }),
  );
  manager.start();
  const heart = beat({ client, namespace, host: name, periodMs: options.heartbeatMs ?? 20_000, log, signal });
  const desk = options.desk?.serve(signal, (error) => log.error('a bundle could not be handed out', { error }));
  const stop = async () => {
    stopping.abort(new Error('the agent stops'));
    await manager.stop();
    await Promise.all([heart, desk]);
  };
  return { manager, stop, [Symbol.asyncDispose]: stop };
}

/** It becomes a part of scripts, between quotes. */
function checkPath(path: string): void {
  if (!/^\/[A-Za-z0-9_./+:@%,=-]*$/.test(path) || path.split('/').includes('..'))
    throw new Error(
      `the download path ${JSON.stringify(path)} must be absolute, and made of letters, digits and _ . - + : @ % , =`,
    );
}
