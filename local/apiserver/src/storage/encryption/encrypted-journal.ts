import { cloneJson } from '@tektite/meta';
import { FolderError } from '../journal/folder-error.ts';
import type { CompactionState, DroppedRecord, Journal, JournalReader, JournalRecord } from '../journal/journal.ts';
import type { Storage } from '../storage.ts';
import type { Encryption } from './encryption-configuration.ts';
import { keyNameOf, seal as sealText, unseal } from './value-cipher.ts';

/** The form of an encrypted object in a journal. */
interface SealedValue {
  readonly encrypted: string;
}

/**
 * A journal whose objects are encrypted on disk, as far as the configuration says so; in memory they are plain. Without a
 * configuration it refuses a folder that holds encrypted objects.
 */
export class EncryptedJournal implements Journal {
  private readonly inner: Journal;
  private readonly encryption: Encryption | undefined;
  private readonly staleKeys = new Set<string>();

  constructor(inner: Journal, encryption: Encryption | undefined) {
    this.inner = inner;
    this.encryption = encryption;
  }

  /** Keys whose objects are stored in another form than the configuration asks for: plain, or with an earlier key. */
  get stale(): readonly string[] {
    return [...this.staleKeys];
  }

  get problem(): Journal['problem'] {
    return this.inner.problem;
  }

  /** Versions that were compacted may still be in the journal; that they cannot be read does not matter. */
  load(reader: JournalReader): number {
    const unreadable = new Map<string, FolderError>();
    const superseded: { readonly by: number; readonly error: FolderError }[] = [];
    let compacted = 0;
    const revision = this.inner.load({
      record: (record, bytes) => {
        const earlier = unreadable.get(record.key);
        if (earlier) superseded.push({ by: record.revision, error: earlier });
        const opened = this.open(record);
        if (opened instanceof FolderError) unreadable.set(record.key, opened);
        else unreadable.delete(record.key);
        reader.record(opened instanceof FolderError ? record : opened, bytes);
      },
      compacted: (until) => {
        compacted = until;
        reader.compacted(until);
      },
    });
    const needed = superseded.filter(({ by }) => by > compacted).map(({ error }) => error);
    const [error] = [...unreadable.values(), ...needed];
    if (error) throw error;
    return revision;
  }

  append(records: readonly JournalRecord[]): Promise<readonly number[]> {
    return this.inner.append(this.encryption ? records.map((record) => this.seal(record)) : records);
  }

  compact(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void> {
    return this.inner.compact(dropped, state);
  }

  makeRoom(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void> {
    return this.inner.makeRoom(dropped, state);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private seal(record: JournalRecord): JournalRecord {
    const { key: name, revision, json, isDeleting = false } = record;
    const key = json === undefined ? undefined : this.encryption?.keyFor(name);
    if (!key) return record;
    const sealed: SealedValue = { encrypted: sealText(key, json as string, name) };
    return { key: name, revision, json: JSON.stringify(sealed), isDeleting };
  }

  private open(record: JournalRecord): JournalRecord | FolderError {
    const sealed = sealedText(record.json);
    const keyName = sealed === undefined ? undefined : keyNameOf(sealed);
    const isStale = record.json !== undefined && this.encryption?.keyFor(record.key)?.name !== keyName;
    if (isStale) this.staleKeys.add(record.key);
    else this.staleKeys.delete(record.key);
    if (sealed === undefined || keyName === undefined) return record;
    const key = this.encryption?.find(keyName);
    if (!key)
      return new FolderError(
        `the data folder holds objects that are encrypted with the key ${JSON.stringify(keyName)}. Start with --encryption-provider-config and a file that has this key.`,
      );
    try {
      return { ...record, json: unseal(key, sealed, record.key) };
    } catch (cause) {
      return new FolderError(
        `${record.key} cannot be decrypted with the key ${JSON.stringify(keyName)}: the key is another one, or the folder was changed`,
        { cause },
      );
    }
  }
}

/** The encrypted text of a record; the others are not decoded to find out. */
function sealedText(json: string | undefined): string | undefined {
  if (!json?.startsWith('{"encrypted":"')) return undefined;
  const { encrypted } = JSON.parse(json) as Partial<SealedValue>;
  return typeof encrypted === 'string' ? encrypted : undefined;
}

/** Writes objects again, so that they are stored as the configuration asks for, and forgets their earlier form. */
export async function rewriteStale(storage: Storage, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const entry = storage.latest(key);
    if (entry) await storage.write(key, entry.revision, cloneJson(entry.value));
  }
  if (keys.length > 0) await storage.compact(storage.revision);
}
