import { type ApiServer, inProcessTransport, type StorageProblem } from '@tektite/apiserver';
import { Client, kinds } from '@tektite/client';
import { type Clock, formatTime } from '@tektite/meta';

/**
 * Reports a full disk as an Event of the Service `kubernetes`. While the disk is full no Event can be written, so it comes when
 * there is space again, and says from when to when writes were denied; `/readyz` reports it meanwhile.
 */
export class StorageEvents {
  private readonly clock: Clock;
  private readonly onError: (error: unknown) => void;
  private server: ApiServer | undefined;
  private since: { readonly time: number; readonly message: string } | undefined;

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.clock = clock;
    this.onError = onError;
  }

  /** Where Events go, once there is a server. */
  use(server: ApiServer): void {
    this.server = server;
  }

  onProblem(problem: StorageProblem | undefined): void {
    const { since } = this;
    if (problem) {
      this.since ??= { time: this.clock.now(), message: problem.message };
      return;
    }
    this.since = undefined;
    if (since && this.server) this.write(this.server, since).catch(this.onError);
  }

  private async write(server: ApiServer, since: { readonly time: number; readonly message: string }): Promise<void> {
    const [first, last] = [formatTime(since.time), formatTime(this.clock.now())];
    const user = { name: 'system:apiserver', groups: ['system:masters'] };
    await using client = new Client(inProcessTransport(server, user), { fieldManager: 'kube-apiserver' });
    await client.create(kinds.Event, {
      metadata: { generateName: 'kubernetes.', namespace: 'default' },
      involvedObject: { apiVersion: 'v1', kind: 'Service', name: 'kubernetes', namespace: 'default' },
      type: 'Warning',
      reason: 'StorageFull',
      message: `${since.message}: writes were denied from ${first} to ${last}`,
      source: { component: 'kube-apiserver' },
      firstTimestamp: first,
      lastTimestamp: last,
      count: 1,
    });
  }
}
