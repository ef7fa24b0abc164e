import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AcknowledgedPosition } from './acknowledged-position.ts';
import { FolderError } from './folder-error.ts';
import type { JournalRecord } from './journal.ts';
import { loadSegments } from './load-segments.ts';
import { listSegments } from './segment.ts';

export interface CopiedJournal {
  readonly revision: number;
  /** Objects at that revision. */
  readonly objects: number;
}

const attempts = 20;
const copied = /^(?:\d{16}\.log|format)$/;

/**
 * Copies a journal that may be in use by another process into a new folder, and reads the copy.
 *
 * Guarantees: the copy has every write that was acknowledged before the call, and whole batches only, as a journal has after a power loss. Its
 * checksums were verified. The journal is only read.
 *
 * Flow: open all files at a moment at which they are the files of the folder; later appends go to the newest, and files that are rewritten or
 * deleted meanwhile stay as they were for who has them open. A write that was cut by the end of the copy is removed.
 */
export async function copyJournal(from: string, to: string): Promise<CopiedJournal> {
  await mkdir(to, { mode: 0o700 });
  const acknowledged = AcknowledgedPosition.read(from);
  const files = await openAll(from);
  try {
    for (const [name, handle] of files) {
      const source = createReadStream('', { fd: handle.fd, start: 0, autoClose: false });
      await pipeline(source, createWriteStream(join(to, name), { mode: 0o600, flush: true }));
    }
  } finally {
    await Promise.all([...files.values()].map((handle) => handle.close()));
  }
  return readCopy(to, acknowledged);
}

/** Reads a copy as a start would. Throws a FolderError for one that is damaged. */
export function readCopy(folder: string, acknowledged?: ReturnType<typeof AcknowledgedPosition.read>): CopiedJournal {
  const found = listSegments(folder);
  if (found.length === 0) throw new FolderError(`${folder} has no journal`);
  const objects = new Map<string, boolean>();
  const reader = {
    record: ({ key, json }: JournalRecord) => void objects.set(key, json !== undefined),
    compacted: () => undefined,
  };
  const { revision } = loadSegments(found, acknowledged, reader, () => undefined);
  return { revision, objects: [...objects.values()].filter((isThere) => isThere).length };
}

async function openAll(folder: string): Promise<ReadonlyMap<string, FileHandle>> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const handles = new Map<string, FileHandle>();
    try {
      for (const name of await names(folder)) handles.set(name, await open(join(folder, name), 'r'));
      if (await areStill(folder, handles)) return handles;
    } catch (error) {
      // A file that was deleted between the list and the open.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || handles.size === 0) throw await closed(handles, error);
    }
    await closed(handles, undefined);
  }
  throw new FolderError(`the files of ${folder} keep changing; try again`);
}

async function names(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => copied.test(name)).sort();
}

/** Whether these are still the files of those names, and all of them. */
async function areStill(folder: string, handles: ReadonlyMap<string, FileHandle>): Promise<boolean> {
  const now = await names(folder);
  if (now.length !== handles.size) return false;
  for (const name of now) {
    const own = await handles.get(name)?.stat();
    const { ino } = await stat(join(folder, name));
    if (own?.ino !== ino) return false;
  }
  return true;
}

async function closed(handles: ReadonlyMap<string, FileHandle>, error: unknown): Promise<unknown> {
  await Promise.all([...handles.values()].map((handle) => handle.close()));
  return error;
}
