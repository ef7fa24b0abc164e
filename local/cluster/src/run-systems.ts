import { type ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client } from '@tektite/client';
import { type RunningSystems, startSystems, type System } from '@tektite/controller';
import { retireWebhooks } from '@tektite/controller/webhook';
import type { ClusterSystemsOptions } from './cluster-options.ts';
import type { ClusterPart } from './cluster-part.ts';
import type { Started } from './start-together.ts';

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

interface SystemsPart extends ClusterPart {
  readonly systems: readonly System[];
  /** The objects end with the process: no client will see who wrote which field, so kinds are served without applying definitions. */
  readonly isOnce: boolean;
  readonly options: ClusterSystemsOptions | undefined;
}

/** Runs the systems on a server of this process. */
export async function runSystems(part: SystemsPart, started: Started): Promise<RunningSystems> {
  const { server, systems, clock, random, log, isOnce } = part;
  const { observe, ...options } = part.options ?? {};
  const transport = inProcessTransport(server, user);
  const client = new Client(observe ? observe(transport) : transport, { clock, random });
  started.push(() => client.close());
  const running = await startSystems(systems, {
    client,
    log,
    graceMs,
    webhooks: { host: server.localWebhooks, service },
    ...(isOnce ? { define: (definition) => server.define(definition) } : {}),
    ...options,
  });
  started.push(() => running.stop());
  return running;
}
