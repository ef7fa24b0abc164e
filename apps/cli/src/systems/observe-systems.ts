import type { Transport } from '@tektite/client';
import type { RunningSystems, SystemsOptions } from '@tektite/controller';
import { controllerMetrics, observedTransport, observeInformers } from '@tektite/controller/observe';
import { systemClock } from '@tektite/meta';
import { serveStatus, type StatusServer } from '../observe/status-server.ts';
import { startTelemetry } from '../observe/telemetry.ts';

/** Metrics and traces of systems. Loaded only where they are exported, because loading takes a while. */
export interface ObservedSystems {
  readonly options: Pick<SystemsOptions, 'metrics'>;
  transport(transport: Transport): Transport;
  /** On a free port of this machine. Explanations are for bearers of the token. */
  serve(running: RunningSystems, token: string): Promise<StatusServer>;
  close(): Promise<void>;
}

export function observeSystems(): ObservedSystems {
  const telemetry = startTelemetry();
  return {
    options: { metrics: controllerMetrics(telemetry.meter) },
    transport: (transport) => observedTransport(transport, { ...telemetry, clock: systemClock }),
    serve(running, token) {
      observeInformers(telemetry.meter, running.manager.informers);
      return serveStatus(
        {
          health: () => running.health(),
          explain: (kind, key) => running.manager.explain(kind, key),
          metrics: () => telemetry.readMetrics(),
        },
        '127.0.0.1',
        0,
        token,
      );
    },
    close: () => telemetry.close(),
  };
}
