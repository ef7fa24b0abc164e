import { randomUUID } from 'node:crypto';
import { ftruncateSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { FileLock } from './file-lock.ts';
import type { StoreFolder } from './store-folder.ts';

/**
 * The digests that this process uses. Other processes read them before they remove anything.
 *
 * The file is locked as long as the process runs: a lease whose file can be locked is of a process that has ended, and counts for
 * nothing. Holding writes the digest first; the caller then checks that its content is there. Garbage collection moves content away
 * first and then reads the leases. So one of the two sees the other.
 */
export class Lease {
  readonly id: string;
  private readonly lock: FileLock;
  private readonly counts = new Map<string, number>();

  private constructor(id: string, lock: FileLock) {
    this.id = id;
    this.lock = lock;
  }

  static async open(folder: StoreFolder): Promise<Lease> {
    const id = randomUUID();
    return new Lease(id, await FileLock.take(folder.lease(id)));
  }

  /** Returns what gives it back, once. */
  hold(digests: readonly string[]): () => void {
    const added = digests.filter((digest) => this.change(digest, 1) === 1);
    this.append('+', added);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.append(
        '-',
        digests.filter((digest) => this.change(digest, -1) === 0),
      );
      // Nothing is held: the file starts again, and stays small.
      if (this.counts.size === 0) ftruncateSync(this.lock.descriptor);
    };
  }

  async close(): Promise<void> {
    await rm(this.lock.path, { force: true });
    this.lock[Symbol.dispose]();
  }

  private change(digest: string, by: number): number {
    const count = (this.counts.get(digest) ?? 0) + by;
    if (count === 0) this.counts.delete(digest);
    else this.counts.set(digest, count);
    return count;
  }

  /** One write, at the end of the file. */
  private append(sign: '+' | '-', digests: readonly string[]): void {
    if (digests.length > 0) writeSync(this.lock.descriptor, digests.map((digest) => `${sign}${digest}\n`).join(''));
  }
}

/** The digests that a lease file names. A line that is not complete yet belongs to a process that has not checked anything yet. */
export function digestsInLease(text: string): ReadonlySet<string> {
  const held = new Set<string>();
  for (const line of text.split('\n').slice(0, -1))
    if (line.startsWith('+')) held.add(line.slice(1));
    else held.delete(line.slice(1));
  return held;
}

/** The digests that running processes use. Removes the leases of those that have ended, and reports their ids. */
export async function readLeases(
  folder: StoreFolder,
  own: string | undefined,
  onEnded: (id: string) => Promise<void> = async () => undefined,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const id of await folder.list('leases')) {
    using ended = id === own ? undefined : await FileLock.tryTake(folder.lease(id));
    if (ended) {
      await onEnded(id);
      await rm(ended.path, { force: true });
      continue;
    }
    const text = await readFile(folder.lease(id), 'utf8').catch(() => '');
    for (const digest of digestsInLease(text)) held.add(digest);
  }
  return held;
}
