import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client } from '@tektite/client';
import { controllerMetrics, observedTransport, observeInformers, startSystems, type System } from '@tektite/controller';
import { systemClock } from '@tektite/meta';
import { pinoLogger } from '../observe/pino-logger.ts';
import { serveStatus } from '../observe/status-server.ts';
import { startTelemetry } from '../observe/telemetry.ts';

/** Somebody waits for the prompt. */
const graceMs = 3000;

/** Runs the systems, and serves how they are on a free port, whose address is in the folder for `tektite explain`. */
export async function runSystems(
  server: ApiServer,
  systems: readonly System[],
  folder: string,
  started: (() => Promise<unknown>)[],
): Promise<string> {
  const telemetry = startTelemetry();
  started.push(() => telemetry.close());
  const transport = inProcessTransport(server, { name: 'system:tektite', groups: ['system:masters'] });
  const client = new Client(observedTransport(transport, { ...telemetry, clock: systemClock }));
  started.push(() => client.close());
  const running = await startSystems(systems, {
    client,
    log: pinoLogger('warn'),
    graceMs,
    metrics: controllerMetrics(telemetry.meter),
    webhooks: { host: server.localWebhooks, service: { namespace: 'default', name: 'tektite-webhook' } },
  });
  started.push(() => running.stop());
  observeInformers(telemetry.meter, running.manager.informers);
  const status = await serveStatus(
    {
      health: () => running.health(),
      explain: (kind, key) => running.manager.explain(kind, key),
      metrics: () => telemetry.readMetrics(),
    },
    '127.0.0.1',
    0,
  );
  const file = join(folder, 'status-url');
  await writeFile(file, `${status.url}\n`);
  started.push(async () => {
    await rm(file, { force: true });
    await status.close();
  });
  return status.url;
}
