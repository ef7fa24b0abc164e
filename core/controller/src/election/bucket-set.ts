import { bytesOf, emptyHash, hash, type Hash64, hexOf } from './key-hash.ts';

/** Angles run from 0 to this, and the last bits of a hash are one. */
const universe = 2048;
const startSalt = bytesOf('start-angle-salt');
/** How many answers are remembered; each costs a hash per bucket otherwise. */
const remembered = 4096;

/**
 * Which bucket a key belongs to. The mapping is knative.dev/pkg's to the bit, so that its controllers and ours can share the
 * work on the same leases: each key spreads the buckets over a circle in its own way, and belongs to the first one after its
 * own angle. So keys spread evenly, and most stay where they are when the number of buckets changes.
 *
 * @example
 * const buckets = new BucketSet(bucketNames({ component: 'controller', queue: 'tasks', buckets: 3 }));
 * buckets.bucketOf('default/build'); // 'controller.tasks.01-of-03'
 */
export class BucketSet {
  /** Sorted. */
  readonly names: readonly string[];
  private readonly hashes: readonly Hash64[];
  private readonly known = new Map<string, number>();

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)].sort();
    this.hashes = this.names.map((name) => hash(emptyHash, bytesOf(name)));
  }

  bucketOf(key: string): string {
    return this.names[this.indexOf(key)] ?? '';
  }

  /** The place of the key's bucket in `names`. */
  indexOf(key: string): number {
    if (this.names.length <= 1) return 0;
    let index = this.known.get(key);
    if (index === undefined) {
      index = this.choose(key);
      if (this.known.size >= remembered) this.known.clear();
      this.known.set(key, index);
    }
    return index;
  }

  private choose(key: string): number {
    // Knative writes the key of something without a namespace with a slash in front.
    const target = bytesOf(key.includes('/') ? key : `/${key}`);
    const start = hash(hash(emptyHash, target), startSalt).low % universe;
    const taken = new Set<number>();
    let nearest = 0;
    let shortest = universe;
    for (const [index, name] of this.hashes.entries()) {
      const angle = freeAngle(hash(name, target), taken);
      taken.add(angle);
      const distance = (angle - start + universe) % universe;
      if (distance < shortest) [nearest, shortest] = [index, distance];
    }
    return nearest;
  }
}

/** When two buckets fall on the same angle, the later one salts its hash with itself until it finds a free one. */
function freeAngle(first: Hash64, taken: ReadonlySet<number>): number {
  let state = first;
  while (taken.has(state.low % universe)) state = hash(state, bytesOf(hexOf(state)));
  return state.low % universe;
}
