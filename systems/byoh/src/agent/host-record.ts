import { type Client, retryOnConflict } from '@tektite/client';
import { ByoHost } from '../kinds/byo-host.ts';
import { type ConditionText, withCondition } from '../kinds/cluster-condition.ts';
import { patchObject } from '../patch-object.ts';

const attempts = 8;

/** The agent's own ByoHost, as it was seen last, and how to change it while the manager changes it too. */
export class HostRecord {
  private readonly client: Client;
  private seen: ByoHost;

  constructor(client: Client, host: ByoHost) {
    this.client = client;
    this.seen = host;
  }

  get current(): ByoHost {
    return this.seen;
  }

  /** Applies a change to whatever the host is by then. */
  async change(alter: (host: ByoHost) => ByoHost): Promise<void> {
    const write = async (attempt: number) => {
      const { name = '', namespace = '' } = this.seen.metadata;
      if (attempt > 1) this.seen = await this.client.get(ByoHost, { namespace, name });
      this.seen = await patchObject(this.client, ByoHost, this.seen, alter(this.seen));
    };
    await retryOnConflict(write, { attempts });
  }

  async mark(...texts: readonly ConditionText[]): Promise<void> {
    const now = this.client.clock.now();
    await this.change((host) => {
      const before = host.status?.conditions;
      const conditions = texts.reduce((all, text) => withCondition(all, text, now), before ?? []);
      return conditions === before ? host : { ...host, status: { ...host.status, conditions } };
    });
  }
}
