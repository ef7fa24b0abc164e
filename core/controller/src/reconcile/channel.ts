import type { Cause } from '../queue/causes.ts';
import type { RunningSource, Source, SourceTarget } from './source.ts';

/**
 * A source that the program itself feeds: a timer, a message from outside, another controller. Messages without a
 * listening controller are lost, as events of the API are; the initial reconcile of every object makes up for it.
 *
 * @example const nudges = new Channel('nudges'); defineController({ name: 'memcached', kind: Memcached, sources:
 * [nudges], reconcile }); nudges.send('default/cache', 'certificate renewed');
 */
export class Channel implements Source {
  readonly describe: string;
  private readonly targets = new Set<SourceTarget>();

  constructor(describe: string) {
    this.describe = describe;
  }

  /** Enqueues the object with this key in all controllers that listen. */
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
