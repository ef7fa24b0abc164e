/** Why a key is in the queue: something happened to an object. */
export interface Cause {
  /** The kind of the object, such as `Pod`. */
  readonly kind: string;
  /** Which one: `namespace/name`, or `name`. */
  readonly object: string;
  /** The change, such as `added`, `modified`, `deleted`, `resync`, `timer`, `retry`. */
  readonly change: string;
}

/** A cause, and how often it was given. */
export interface CountedCause extends Cause {
  readonly count: number;
}

/** All that was merged into one piece of work. */
export interface MergedCauses {
  /** In the order they first came. */
  readonly causes: readonly CountedCause[];
  /** How many more there were that did not fit. */
  readonly omitted: number;
}

const defaultLimit = 32;

/**
 * Collects causes until they are taken.
 *
 * Guarantees: the counts of `causes` and `omitted` together are the number of causes that were given; at most `limit`
 * different causes are kept, the first that came, so the memory of a waiting key is bounded.
 */
export class CauseCollector {
  private readonly limit: number;
  private readonly counted = new Map<string, { readonly cause: Cause; count: number }>();
  private omitted = 0;

  constructor(limit: number = defaultLimit) {
    this.limit = limit;
  }

  add(cause: Cause, count = 1): void {
    const id = `${cause.kind}\0${cause.object}\0${cause.change}`;
    const known = this.counted.get(id);
    if (known) known.count += count;
    else if (this.counted.size < this.limit) this.counted.set(id, { cause, count });
    else this.omitted += count;
  }

  addAll({ causes, omitted }: MergedCauses): void {
    for (const { count, ...cause } of causes) this.add(cause, count);
    this.omitted += omitted;
  }

  merged(): MergedCauses {
    const causes = [...this.counted.values()].map(({ cause, count }) => ({ ...cause, count }));
    return { causes, omitted: this.omitted };
  }
}
