import { type Client, kinds, mergePatch } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import { formatMicroTime, isStatusError, sleep } from '@tektite/meta';
import { heartbeatName } from '../host/host-access.ts';
import { hostPartLabel } from '../wire-names.ts';

export interface HeartbeatOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly host: string;
  readonly periodMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Tells from time to time that the agent is alive, in a Lease as nodes have it. Ends with the signal. */
export async function beat({ client, namespace, host, periodMs, log, signal }: HeartbeatOptions): Promise<void> {
  const name = heartbeatName(host);
  while (!signal.aborted) {
    const spec = {
      holderIdentity: host,
      leaseDurationSeconds: Math.ceil((periodMs * 3) / 1000),
      renewTime: formatMicroTime(client.clock.now()),
    };
    try {
      try {
        await client.patch(kinds.Lease, { namespace, name }, mergePatch({ spec }), { signal });
      } catch (error) {
        if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Forbidden')) throw error;
        const metadata = { namespace, name, labels: { [hostPartLabel]: '' } };
        await client.create(kinds.Lease, { metadata, spec }, { signal });
      }
    } catch (error) {
      if (!signal.aborted) log.warn('the heartbeat could not be written', { error });
    }
    await sleep(client.clock, periodMs, signal).catch(() => undefined);
  }
}
