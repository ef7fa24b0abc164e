import { type ApiServer, inProcessTransport } from '@tektite/apiserver';
import { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import type { Clock, Random } from '@tektite/meta';
import type { Started } from './start-together.ts';

/** The parts of a cluster share these. */
export interface ClusterPart {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onNotice: (text: string) => void;
}

/** A client for a component of the cluster, which may do everything. */
export function componentClient(
  { server, clock, random }: ClusterPart,
  fieldManager: string,
  name: string,
  started: Started,
): Client {
  const transport = inProcessTransport(server, { name, groups: ['system:masters'] });
  const client = new Client(transport, { clock, random, fieldManager });
  started.push(() => client.close());
  return client;
}
