import type { Client } from '@tektite/client';
import { sleep } from '@tektite/meta';
import { type BucketNaming, bucketNames } from './bucket-names.ts';
import { BucketSet } from './bucket-set.ts';
import { coreTiming, type ElectionTiming } from './election-timing.ts';
import { uniqueIdentity } from './identity.ts';
import { LeaderElector, type LeaderElectorOptions } from './leader-elector.ts';
import type { Ownership } from './ownership.ts';

export interface BucketElectionOptions
  extends BucketNaming,
    Partial<ElectionTiming>,
    Pick<LeaderElectorOptions, 'identity' | 'onTransition' | 'onError' | 'watch'> {
  /** Where the Leases are. */
  readonly namespace: string;
  /** Awaited before a bucket is given away: resolve when no work on its keys goes on. */
  readonly handOver?: (owned: (key: string) => boolean) => Promise<void>;
}

/**
 * Several processes share the work: keys fall into buckets, and each bucket has a separate Lease. Every process
 * competes for every bucket, so when one dies the others share its buckets. The leases and the mapping are
 * knative.dev/pkg's, so its controllers can take part.
 *
 * The guarantees of `LeaderElector` hold for each bucket. Also: processes that hold few buckets are quicker to take one
 * than those that hold many, so those that start together end with about the same number. Nothing is taken from one
 * that holds all because it came first; the buckets move when it goes.
 */
export class BucketElection implements Ownership {
  readonly identity: string;
  private readonly client: Client;
  private readonly set: BucketSet;
  private readonly electors: readonly LeaderElector[];

  constructor(client: Client, options: BucketElectionOptions) {
    const { namespace, component, queue, buckets, prefixes, handOver, ...election } = options;
    this.client = client;
    this.identity = options.identity ?? uniqueIdentity(client.random);
    this.set = new BucketSet(bucketNames({ component, queue, buckets, ...(prefixes ? { prefixes } : {}) }));
    const retryPeriodMs = options.retryPeriodMs ?? coreTiming.retryPeriodMs;
    this.electors = this.set.names.map(
      (name, index) =>
        new LeaderElector(client, {
          ...election,
          identity: this.identity,
          lease: { namespace, name },
          beforeTry: (signal) => this.letOthersGoFirst(retryPeriodMs, signal),
          ...(handOver ? { handOver: () => handOver((key) => this.set.indexOf(key) === index) } : {}),
        }),
    );
  }

  /** The names of the buckets that are ours now. */
  get held(): readonly string[] {
    return this.set.names.filter((_, index) => this.electors[index]?.leading);
  }

  /** Who holds which bucket, as last seen. */
  get leaders(): ReadonlyMap<string, string> {
    return new Map(this.set.names.map((name, index) => [name, this.electors[index]?.leader ?? '']));
  }

  owns(key: string): boolean {
    return this.electorOf(key).leading;
  }

  signalFor(key: string): AbortSignal {
    return this.electorOf(key).signalFor();
  }

  onGained(listener: (owns: (key: string) => boolean) => void): Disposable {
    const registrations = this.electors.map((elector, index) =>
      elector.onGained((holds) => listener((key) => this.set.indexOf(key) === index && holds(key))),
    );
    return { [Symbol.dispose]: () => registrations.forEach((registration) => registration[Symbol.dispose]()) };
  }

  guard<T>(key: string, write: (limit: () => AbortSignal) => Promise<T>): Promise<T> {
    return this.electorOf(key).guard(key, write);
  }

  /** Competes for all buckets until the signal is aborted; resolves when those that are ours have been handed over. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.electors.map((elector) => elector.run(signal)));
  }

  private electorOf(key: string): LeaderElector {
    return this.electors[this.set.indexOf(key)] as LeaderElector;
  }

  /** At most one period more than others wait; first a little chance, then the longer the more we hold. */
  private async letOthersGoFirst(retryPeriodMs: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.client;
    try {
      await sleep(clock, (random.next() * retryPeriodMs) / 2, signal);
      await sleep(clock, ((this.held.length / this.set.names.length) * retryPeriodMs) / 2, signal);
    } catch {
      // Stopped: the caller checks the signal.
    }
  }
}
