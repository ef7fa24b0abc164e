import { type Client, kinds, mergePatch } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { formatMicroTime, isStatusError, sleep } from '@tektite/meta';
import { heartbeatName } from '../host/host-access.ts';

export interface HeartbeatOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly host: string;
  readonly periodMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The manager creates the Lease after the host registered: until then, the agent tries at this pace. */
const firstMs = 1000;
/** An old manager never creates it; a new one within this time. */
const quietMs = 30_000;

/** Reports periodically that the agent is alive, in a Lease as nodes have it. Ends with the signal. */
export async function beat({ client, namespace, host, periodMs, log, signal }: HeartbeatOptions): Promise<void> {
  const name = heartbeatName(host);
  const since = client.clock.monotonic();
  while (!signal.aborted) {
    const spec = {
      holderIdentity: host,
      leaseDurationSeconds: Math.ceil((periodMs * 3) / 1000),
      renewTime: formatMicroTime(client.clock.now()),
    };
    let nextMs = periodMs;
    try {
      await client.patch(kinds.Lease, { namespace, name }, mergePatch({ spec }), { signal });
    } catch (error) {
      const isEarly =
        (isStatusError(error, 'NotFound') || isStatusError(error, 'Forbidden')) &&
        client.clock.monotonic() < since + quietMs;
      if (isEarly) nextMs = Math.min(firstMs, periodMs);
      else if (!signal.aborted) log.warn('the heartbeat could not be written', { error });
    }
    await sleep(client.clock, nextMs, signal).catch(() => undefined);
  }
}
