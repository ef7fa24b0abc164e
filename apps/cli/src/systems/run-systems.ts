import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client, type Transport } from '@tektite/client';
import {
  type DefineKind,
  type Logger,
  retireWebhooks,
  type RunningSystems,
  startSystems,
  type System,
  type SystemsOptions,
} from '@tektite/controller';
import type { Started } from '../start-together.ts';
import { wantsTraces } from '../observe/wants-traces.ts';

/** Short: a user waits for the prompt. */
const graceMs = 3000;

/** The Service that webhook configurations name. It does not exist: the API server calls this process instead. */
const service = { namespace: 'default', name: 'tektite-webhook' };
const user = { name: 'system:tektite', groups: ['system:masters'] };

/**
 * Prepares a server whose storage holds the webhook configurations of an earlier process. Those of systems that do not run now
 * are removed, with a notice: nothing would answer for them. The others wait until the systems are started. Call it before other
 * clients can reach the server.
 */
export async function prepareSystems(
  server: ApiServer,
  systems: readonly System[],
  started: Started,
  onNotice: (text: string) => void,
): Promise<void> {
  const webhooks = systems.flatMap((system) => system.webhooks ?? []);
  await using client = new Client(inProcessTransport(server, user));
  const removed = await retireWebhooks(client, service, webhooks);
  if (removed.length > 0)
    onNotice(`webhooks of systems that do not run now are removed: ${removed.join(', ')}; --systems brings them back`);
  if (webhooks.length === 0) return;
  const expectation = server.localWebhooks.expect(service, user.name);
  started.push(async () => expectation[Symbol.dispose]());
}

/** Runs the systems on a server of this process. */
export async function runSystems(
  server: ApiServer,
  systems: readonly System[],
  started: Started,
  options: Partial<SystemsOptions> & Pick<SystemsOptions, 'log'>,
  observe: (transport: Transport) => Transport = (transport) => transport,
): Promise<RunningSystems> {
  const transport = inProcessTransport(server, user);
  const client = new Client(observe(transport));
  started.push(() => client.close());
  const running = await startSystems(systems, {
    client,
    graceMs,
    webhooks: { host: server.localWebhooks, service },
    ...options,
  });
  started.push(() => running.stop());
  return running;
}

/**
 * Runs systems on a control plane that ends with the command. Its kinds are defined in the server without an apply: no
 * earlier definition exists, and no client reads their managedFields. Traces are exported if a collector is configured.
 */
export async function runSystemsOnce(
  server: ApiServer,
  systems: readonly System[],
  log: Logger,
  started: Started,
): Promise<void> {
  const define: DefineKind = (definition) => server.define(definition);
  if (!wantsTraces()) return void (await runSystems(server, systems, started, { define, log }));
  const { observeSystems } = await import('./observe-systems.ts');
  const observed = observeSystems();
  started.push(() => observed.close());
  await runSystems(server, systems, started, { define, log }, observed.transport);
}

/** Runs the systems, and serves how they are on a free port, whose address is in the folder for `tektite explain`. */
export async function runObservedSystems(
  server: ApiServer,
  systems: readonly System[],
  folder: string,
  log: Logger,
  started: Started,
): Promise<string> {
  const { observeSystems } = await import('./observe-systems.ts');
  const observed = observeSystems();
  started.push(() => observed.close());
  const running = await runSystems(server, systems, started, { log, ...observed.options }, observed.transport);
  const status = await observed.serve(running);
  const file = join(folder, 'status-url');
  await writeFile(file, `${status.url}\n`);
  started.push(async () => {
    await rm(file, { force: true });
    await status.close();
  });
  return status.url;
}
