import type { Cause } from '../queue/causes.ts';
import type { RunningSource, Source, SourceTarget } from './source.ts';

/**
 * A source that the program itself feeds: a timer of its own, a message from outside, another controller. What is sent
 * while no controller listens is lost, as events of the API are; the first look at every object makes up for it.
 *
 * @example
 * const nudges = new Channel('nudges');
 * defineController({ name: 'memcached', kind: Memcached, sources: [nudges], reconcile });
 * nudges.send('default/cache', 'certificate renewed');
 */
export class Channel implements Source {
  readonly describe: string;
  private readonly targets = new Set<SourceTarget>();

  constructor(describe: string) {
    this.describe = describe;
  }

  /** Has the object with this key looked at by all controllers that listen. */
  send(key: string, change: string = 'sent'): void {
    const cause: Cause = { kind: this.describe, object: key, change };
    for (const target of this.targets) target.add(key, { cause });
  }

  start(target: SourceTarget): RunningSource {
    this.targets.add(target);
    return {
      synced: () => Promise.resolve(),
      stop: async () => {
        this.targets.delete(target);
      },
    };
  }
}
