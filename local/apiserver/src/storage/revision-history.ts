import type { DroppedRecord } from './journal/journal.ts';
import { OrderedMap } from './ordered-map.ts';
import type { ObjectVersion, VersionEvent } from './object-version.ts';
import type { StoredEntry } from './storage.ts';

/**
 * The objects in memory, ordered by key, with their recent past: the newest version of every key, the older ones that revisions
 * after the compacted one need, and the events after it. Knows nothing of disks and watchers.
 */
export class RevisionHistory {
  /** The newest revision, and the one up to which the past is forgotten. */
  revision = 0;
  compactedRevision = 0;
  /** Bytes of the newest versions, and of all others that are kept. */
  liveBytes = 0;
  pastBytes = 0;
  /** Kept versions of each key, oldest first. */
  private readonly keys = new OrderedMap<ObjectVersion[]>();
  private readonly live = new OrderedMap<ObjectVersion>();
  private log: VersionEvent[] = [];

  /** How many events are kept. */
  get length(): number {
    return this.log.length;
  }

  get(key: string): ObjectVersion | undefined {
    return this.live.get(key);
  }

  /** Entries of a prefix as they were at a revision, in order. */
  range(prefix: string, revision: number, from?: string): Iterable<[string, StoredEntry]> {
    return revision >= this.revision ? this.live.range(prefix, from) : this.past(prefix, revision, from);
  }

  eventsAfter(revision: number): readonly VersionEvent[] {
    return this.log.slice(this.indexAfter(revision));
  }

  isKept(key: string, revision: number): boolean {
    return this.keys.get(key)?.some((version) => version.revision === revision) ?? false;
  }

  /** `bytes`: about what the version takes, on disk, or in memory where there is no journal. */
  apply(event: VersionEvent, bytes: number): void {
    const { version } = event;
    const { key, deleted } = version;
    version.bytes = bytes;
    this.revision = version.revision;
    this.log.push(event);
    const versions = this.keys.get(key);
    if (versions) versions.push(version);
    else this.keys.set(key, [version]);
    const before = this.live.get(key)?.bytes ?? 0;
    this.liveBytes += (deleted ? 0 : bytes) - before;
    this.pastBytes += (deleted ? bytes : 0) + before;
    if (deleted) this.live.delete(key);
    else this.live.set(key, version);
  }

  /** Forgets versions that only revisions before `until` need; returns them. */
  forget(until: number): DroppedRecord[] {
    const dropped: DroppedRecord[] = [];
    const drop = (versions: ObjectVersion[]) => {
      const { revision, bytes } = versions.shift() as ObjectVersion;
      this.pastBytes -= bytes;
      dropped.push({ revision, bytes });
    };
    this.compactedRevision = until;
    const end = this.indexAfter(until);
    for (const { key } of this.log.slice(0, end)) {
      const versions = this.keys.get(key);
      if (!versions) continue;
      while (versions.length > 1 && (versions[1] as ObjectVersion).revision <= until) drop(versions);
      // A list of the past finds no key where the oldest version is a delete.
      if (versions[0]?.deleted && versions[0].revision <= until) drop(versions);
      if (versions.length === 0) this.keys.delete(key);
    }
    // Events hold objects: an array with a forgotten beginning would keep them.
    if (end > 0) this.log = this.log.slice(end);
    return dropped;
  }

  /** The revision up to which the oldest quarter of the kept events reaches. */
  get firstQuarter(): number {
    return (this.log[Math.ceil(this.log.length / 4)] ?? this).revision;
  }

  private *past(prefix: string, revision: number, from?: string): Generator<[string, StoredEntry]> {
    for (const [key, versions] of this.keys.range(prefix, from)) {
      const version = versions.findLast((each) => each.revision <= revision);
      if (version && !version.deleted) yield [key, version];
    }
  }

  private indexAfter(revision: number): number {
    let low = 0;
    let high = this.log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.log[middle] as VersionEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
