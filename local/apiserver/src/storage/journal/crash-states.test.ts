import type * as Fs from 'node:fs';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type * as FsPromises from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, seededRandom } from '@tektite/meta';
import { expect, it, vi } from 'vitest';
import { RevisionStore } from '../revision-store.ts';
import { object } from '../storage.cases.ts';
import { SegmentJournal } from './segment-journal.ts';
import { temporaryFolder } from './test-support.ts';

/** One act on the disk. Data is durable when its write was synchronous or a later sync of its file has ended; names likewise. */
type DiskEvent =
  | {
      readonly type: 'write';
      readonly file: number;
      readonly at: number;
      readonly bytes: Buffer;
      readonly sync: boolean;
    }
  | { readonly type: 'written'; readonly write: DiskEvent }
  | { readonly type: 'truncate'; readonly file: number; readonly length: number }
  | { readonly type: 'synced'; readonly file: number }
  | { readonly type: 'name'; readonly name: string; readonly file: number | undefined; readonly from?: string }
  | { readonly type: 'folder synced' };

/** Records what the journal does to the files of one folder, on their way to the real ones. */
const disk = vi.hoisted(() => ({
  folder: '-',
  events: [] as DiskEvent[],
  names: new Map<string, number>(),
  open: new Map<number, { readonly file: number; readonly sync: boolean } | 'folder'>(),
  files: 0,
  nameOf(path: string): string | undefined {
    const name = path.startsWith(`${this.folder}/`) ? path.slice(this.folder.length + 1) : '';
    return /\.log|^acknowledged$|^format/.test(name) ? name : undefined;
  },
  opened(fd: number, path: string, truncates: boolean, sync: boolean): void {
    if (path === this.folder) this.open.set(fd, 'folder');
    const name = this.nameOf(path);
    if (name === undefined) return;
    let file = this.names.get(name);
    if (file === undefined) {
      file = ++this.files;
      this.names.set(name, file);
      this.events.push({ type: 'name', name, file });
    } else if (truncates) this.events.push({ type: 'truncate', file, length: 0 });
    this.open.set(fd, { file, sync });
  },
  /** Returns the act that follows when the write has ended. */
  write(fd: number, bytes: Uint8Array, at: number): () => void {
    const found = this.open.get(fd);
    if (!found || found === 'folder') return () => {};
    const write: DiskEvent = { type: 'write', ...found, at, bytes: Buffer.from(bytes) };
    this.events.push(write);
    return () => void this.events.push({ type: 'written', write });
  },
  synced(fd: number): void {
    const found = this.open.get(fd);
    if (found === 'folder') this.events.push({ type: 'folder synced' });
    else if (found) this.events.push({ type: 'synced', file: found.file });
  },
  truncated(file: number | undefined, length: number): void {
    if (file !== undefined) this.events.push({ type: 'truncate', file, length });
  },
  renamed(from: string, to: string): void {
    const name = this.nameOf(to);
    const old = this.nameOf(from);
    if (name === undefined || old === undefined) return;
    const file = this.names.get(old) as number;
    this.names.delete(old);
    this.names.set(name, file);
    this.events.push({ type: 'name', name, file, from: old });
  },
  removed(path: string): void {
    const name = this.nameOf(path);
    if (name === undefined || !this.names.delete(name)) return;
    this.events.push({ type: 'name', name, file: undefined });
  },
}));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>();
  const fileOf = (fd: number) => {
    const found = disk.open.get(fd);
    return found === 'folder' ? undefined : found?.file;
  };
  return {
    ...fs,
    openSync: ((path: string, flags: string | number, mode?: number) => {
      const fd = fs.openSync(path, flags, mode);
      const sync = typeof flags === 'number' && (flags & fs.constants.O_DSYNC) !== 0;
      disk.opened(fd, path, flags === 'w', sync);
      return fd;
    }) as typeof fs.openSync,
    closeSync: (fd: number) => {
      disk.open.delete(fd);
      fs.closeSync(fd);
    },
    writeSync: ((fd: number, text: string) => {
      const written = disk.write(fd, Buffer.from(text), 0);
      const length = fs.writeSync(fd, text);
      written();
      return length;
    }) as typeof fs.writeSync,
    write: (fd: number, bytes: Buffer, from: number, length: number, at: number, done: (error: unknown) => void) => {
      const written = disk.write(fd, bytes.subarray(from, from + length), at);
      fs.write(fd, bytes, from, length, at, (error) => {
        written();
        done(error);
      });
    },
    close: (fd: number, done: (error: unknown) => void) => {
      disk.open.delete(fd);
      fs.close(fd, done);
    },
    fsyncSync: (fd: number) => {
      fs.fsyncSync(fd);
      disk.synced(fd);
    },
    ftruncateSync: (fd: number, length = 0) => {
      disk.truncated(fileOf(fd), length);
      fs.ftruncateSync(fd, length);
    },
    truncateSync: (path: string, length = 0) => {
      disk.truncated(disk.names.get(disk.nameOf(path) ?? ''), length);
      fs.truncateSync(path, length);
    },
    renameSync: (from: string, to: string) => {
      fs.renameSync(from, to);
      disk.renamed(from, to);
    },
    rmSync: (path: string, options?: Fs.RmOptions) => {
      fs.rmSync(path, options);
      disk.removed(path);
    },
  };
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof FsPromises>();
  const { constants } = fs;
  return {
    ...fs,
    open: async (path: string, flags: string | number, mode?: number) => {
      const handle = await fs.open(path, flags, mode);
      const { fd } = handle;
      const bits = typeof flags === 'number' ? flags : 0;
      const truncates = flags === 'w' || (bits & constants.O_TRUNC) !== 0;
      disk.opened(fd, path, truncates, (bits & constants.O_DSYNC) !== 0);
      const { write, sync, close } = handle;
      handle.write = (async (bytes: Buffer, from = 0, length = bytes.length - from, at: number | null = null) => {
        const written = disk.write(fd, bytes.subarray(from, from + length), at ?? 0);
        const result = await (write as (...args: unknown[]) => ReturnType<typeof write>).call(
          handle,
          bytes,
          from,
          length,
          at,
        );
        written();
        return result;
      }) as typeof handle.write;
      handle.sync = async () => {
        await sync.call(handle);
        disk.synced(fd);
      };
      handle.close = async () => {
        disk.open.delete(fd);
        await close.call(handle);
      };
      return handle;
    },
    rename: async (from: string, to: string) => {
      await fs.rename(from, to);
      disk.renamed(from, to);
    },
  };
});

const blockBytes = 512;

/**
 * The files of one legal state after a power loss behind `count` events: everything that was durable, and of the rest what
 * `random` chooses: blocks of writes each for itself, names in the order of their changes.
 */
function crashState(events: readonly DiskEvent[], count: number, random: Random): Map<string, Buffer> {
  const past = events.slice(0, count);
  const isPicked = chooser(random);
  const files = new Map<number, Buffer>();
  for (const [index, event] of past.entries()) {
    if (event.type !== 'write' && event.type !== 'truncate') continue;
    const rest = past.slice(index);
    const isSynced = rest.some((later) => later.type === 'synced' && later.file === event.file);
    const isWritten =
      event.type === 'write' && event.sync && rest.some((each) => each.type === 'written' && each.write === event);
    const before = files.get(event.file) ?? Buffer.alloc(0);
    if (event.type === 'truncate') {
      if (isSynced || isPicked()) files.set(event.file, before.subarray(0, event.length));
      continue;
    }
    let bytes = before;
    for (let from = 0; from < event.bytes.length; ) {
      const at = event.at + from;
      const to = Math.min(event.bytes.length, from + blockBytes - (at % blockBytes));
      if (isSynced || isWritten || isPicked()) bytes = place(bytes, event.bytes.subarray(from, to), at);
      from = to;
    }
    files.set(event.file, bytes);
  }
  return new Map([...names(past, random)].map(([name, file]) => [name, files.get(file) ?? Buffer.alloc(0)]));
}

/** All, nothing, or each with even chances. */
function chooser(random: Random): () => boolean {
  const mood = Math.floor(random.next() * 4);
  return () => (mood === 0 ? false : mood === 1 ? true : random.next() < 0.5);
}

function names(past: readonly DiskEvent[], random: Random): Map<string, number> {
  const durable = past.findLastIndex(({ type }) => type === 'folder synced');
  const pending = past.slice(durable + 1).filter(({ type }) => type === 'name').length;
  let left = Math.floor(random.next() * (pending + 1));
  const result = new Map<string, number>();
  for (const [index, event] of past.entries()) {
    if (event.type !== 'name' || (index > durable && left-- <= 0)) continue;
    if (event.from !== undefined) result.delete(event.from);
    if (event.file === undefined) result.delete(event.name);
    else result.set(event.name, event.file);
  }
  return result;
}

function place(file: Buffer, bytes: Buffer, at: number): Buffer {
  const result = Buffer.alloc(Math.max(file.length, at + bytes.length));
  file.copy(result);
  bytes.copy(result, at);
  return result;
}

interface Acknowledged {
  readonly events: number;
  readonly key: string;
  readonly revision: number;
  /** `undefined` for a delete. */
  readonly mark: string | undefined;
}

const options = { segmentBytes: 8 * 1024, reserveBytes: 4096 };
const limits = { keepRevisions: 40, maxHistoryBytes: 24 * 1024 };

async function openStore(folder: string): Promise<RevisionStore> {
  return new RevisionStore({ journal: await SegmentJournal.open(folder, options), ...limits });
}

/** Writes and deletes of a few keys, with restarts between; every acknowledged one with the moment of it. */
async function runWriters(folder: string, random: Random): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let life = 0; life < 3; life++) {
    const store = await openStore(folder);
    const write = async (writer: number) => {
      for (let step = 0; step < 60; step++) {
        const key = `/registry/configmaps/default/${writer}-${Math.floor(random.next() * 4)}`;
        const current = store.latest(key);
        const mark = current && random.next() < 0.2 ? undefined : `${life}-${writer}-${step}`;
        const fill = 'x'.repeat(Math.floor(random.next() ** 3 * 4000));
        const value = mark === undefined ? undefined : object(mark, { data: { fill } });
        const { revision } = await store.write(key, current?.revision ?? 0, value);
        acknowledged.push({ events: disk.events.length, key, revision, mark });
      }
    };
    await Promise.all([0, 1, 2].map(write));
    await store.close();
    if (life < 2) await interruptedWrite(folder, random);
  }
  return acknowledged;
}

/** The start of a frame that never became whole: the next start cuts it off. */
async function interruptedWrite(folder: string, random: Random): Promise<void> {
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .toSorted()
    .at(-1) as string;
  const path = join(folder, newest);
  const handle = await open(path, 'r+');
  await handle.write(Buffer.from(random.bytes(1500)), 0, 1500, statSync(path).size);
  await handle.close();
}

const states = Number(process.env['TEKTITE_CRASH_STATES'] ?? 60);

it(`a store opens in every state that a power loss may leave, with every acknowledged write (${states} states)`, {
  timeout: 120_000 + states * 500,
}, async () => {
  await using temporary = await temporaryFolder();
  const random = seededRandom(Number(process.env['TEKTITE_SEED'] ?? 1));
  disk.folder = join(temporary.path, 'recorded');
  const acknowledged = await runWriters(disk.folder, random);
  disk.folder = '-';
  const { events } = disk;
  const happened = new Set(events.map((event) => (event.type === 'name' && !event.file ? 'delete' : event.type)));
  expect([...happened].toSorted()).toEqual([
    'delete',
    'folder synced',
    'name',
    'synced',
    'truncate',
    'write',
    'written',
  ]);
  for (let state = 0; state < states; state++) {
    const count = Math.floor(random.next() * (events.length + 1));
    const folder = join(temporary.path, `state-${state}`);
    mkdirSync(folder);
    for (const [name, bytes] of crashState(events, count, random)) writeFileSync(join(folder, name), bytes);
    const known = acknowledged.filter((each) => each.events <= count);
    const store = await openStore(folder);
    checkStore(store, known, acknowledged, `state ${state} behind ${count} events`);
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

function checkStore(
  store: RevisionStore,
  known: readonly Acknowledged[],
  all: readonly Acknowledged[],
  what: string,
): void {
  const newest = new Map(known.toSorted((a, b) => a.revision - b.revision).map((each) => [each.key, each]));
  const written = new Map(all.map((each) => [each.revision, each]));
  expect(store.revision, what).toBeGreaterThanOrEqual(Math.max(0, ...known.map(({ revision }) => revision)));
  for (const [key, { revision, mark }] of newest) {
    const entry = store.get(key);
    const later = [...written.values()].some(
      (each) => each.key === key && each.revision > revision && each.revision <= store.revision,
    );
    if (!entry) expect(mark === undefined || later, `${what}: ${key} of revision ${revision} is lost`).toBe(true);
    else expect(entry.revision, `${what}: ${key}`).toBeGreaterThanOrEqual(revision);
  }
  for (const { key, revision, value } of store.list('/registry/').entries)
    expect({ key, mark: value.metadata.name }, what).toEqual({
      key: written.get(revision)?.key,
      mark: written.get(revision)?.mark,
    });
  const revisions: number[] = [];
  store.watch('/registry/', store.compactedRevision, (event) => revisions.push(event.revision));
  expect(revisions, what).toEqual(revisions.map((_, index) => store.compactedRevision + 1 + index));
}
