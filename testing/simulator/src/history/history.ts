import type { Storage } from '@tektite/apiserver';
import type { Clock, KubeObject } from '@tektite/meta';

/** A change as the storage reports it. */
type StorageEvent = Parameters<Parameters<Storage['watch']>[2]>[0];

/** A write request, as the server answered it. */
export interface WriteEntry {
  readonly type: 'write';
  readonly at: number;
  readonly component: string;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  /** The resourceVersion that the request named as a precondition. */
  readonly precondition?: string;
  /** The object of the answer, or its Status. */
  readonly answer: object;
}

/** A change of a stored object. */
export interface ChangeEntry {
  readonly type: 'change';
  readonly at: number;
  readonly revision: number;
  readonly key: string;
  readonly isDeleted: boolean;
  readonly object: KubeObject;
  readonly previous?: KubeObject;
}

/** Something that happened to a component: a start, a crash, a fault; or an act of a user. */
export interface NoteEntry {
  readonly type: 'note';
  readonly at: number;
  readonly component: string;
  readonly text: string;
}

export type HistoryEntry = WriteEntry | ChangeEntry | NoteEntry;

/**
 * All that happened in a run, in order: each write and who sent it, each change of an object, each fault. Objects are the stored ones,
 * shared and frozen.
 *
 * Guarantees: two runs of one seed give the same text, byte for byte.
 */
export class History {
  readonly entries: HistoryEntry[] = [];
  private readonly clock: Clock;
  private readonly start: number;
  private hasEnded = false;
  private readonly listeners: ((entry: HistoryEntry) => void)[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
    this.start = clock.now();
  }

  /** Milliseconds since the start of the run. */
  get now(): number {
    return Math.round((this.clock.now() - this.start) * 1000) / 1000;
  }

  get changes(): readonly ChangeEntry[] {
    return this.entries.filter((entry) => entry.type === 'change');
  }

  onEntry(listener: (entry: HistoryEntry) => void): void {
    this.listeners.push(listener);
  }

  note(component: string, text: string): void {
    this.add({ type: 'note', at: this.now, component, text });
  }

  write(entry: Omit<WriteEntry, 'type' | 'at'>): void {
    this.add({ type: 'write', at: this.now, ...entry });
  }

  change({ key, revision, deleted, value, previous }: StorageEvent): void {
    const at = this.now;
    this.add({
      type: 'change',
      at,
      revision,
      key,
      isDeleted: deleted,
      object: value,
      ...(previous ? { previous } : {}),
    });
  }

  /** The component whose request made a change; `apiserver` for changes that no answer names. */
  authors(): ReadonlyMap<number, string> {
    const authors = new Map<number, string>();
    const deletions = new Map<string, string>();
    for (const entry of this.entries) {
      if (entry.type !== 'write' || entry.code >= 300) continue;
      const { metadata, details } = entry.answer as Partial<KubeObject> & { details?: { uid?: string } };
      const revision = Number(metadata?.resourceVersion);
      if (revision > 0 && !authors.has(revision)) authors.set(revision, entry.component);
      const uid = details?.uid ?? metadata?.uid;
      if (uid !== undefined) deletions.set(uid, entry.component);
    }
    for (const entry of this.entries) {
      if (entry.type !== 'change' || authors.has(entry.revision)) continue;
      const author = entry.isDeleted ? deletions.get(entry.object.metadata.uid ?? '') : undefined;
      authors.set(entry.revision, author ?? 'apiserver');
    }
    return authors;
  }

  /** One line of JSON for each entry. */
  text(): string {
    return this.entries.map((entry) => JSON.stringify(entry)).join('\n');
  }

  /** Nothing is recorded any more: what follows is the end of the simulation, not a part of the run. */
  end(): void {
    this.hasEnded = true;
  }

  private add(entry: HistoryEntry): void {
    if (this.hasEnded) return;
    this.entries.push(entry);
    for (const listener of this.listeners) listener(entry);
  }
}
