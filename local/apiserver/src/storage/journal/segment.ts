import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { damagedFile } from './folder-error.ts';
import { decodeHeader, encodeHeader, headerLength, type SegmentHeader } from './segment-format.ts';

/** A file of the journal. It covers the revisions from `first` up to the next segment. */
export interface Segment {
  readonly path: string;
  readonly first: number;
  readonly header: SegmentHeader;
  /** How much of the file is valid. */
  length: number;
  /** Bytes of records that the store still needs. */
  kept: number;
}

const name = /^(\d{16})\.log$/;

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(16, '0')}.log`);
}

/**
 * The segments of a folder in order, with their headers checked: all of one journal, none missing at the start. Removes what
 * an interrupted rewrite left behind.
 */
export function listSegments(folder: string): Segment[] {
  const segments: Segment[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith('.new')) rmSync(join(folder, file), { force: true });
    const first = Number(name.exec(file)?.[1] ?? Number.NaN);
    if (Number.isNaN(first)) continue;
    const path = join(folder, file);
    const header = readHeader(path);
    if (!header) throw damagedFile(path, 'its header is not what was written');
    if (header.firstRevision !== first)
      throw damagedFile(path, `it is the segment of revision ${header.firstRevision}`);
    segments.push({ path, first, header, length: headerLength, kept: 0 });
  }
  const [oldest] = segments;
  if (oldest && oldest.first !== 1) throw damagedFile(segmentPath(folder, 1), 'it is missing');
  for (const { path, header } of segments)
    if (!header.storeId.equals(oldest?.header.storeId as Buffer)) throw damagedFile(path, 'it is of another journal');
  return segments;
}

function readHeader(path: string): SegmentHeader | undefined {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headerLength);
    readSync(fd, bytes, 0, headerLength, 0);
    return decodeHeader(bytes);
  } finally {
    closeSync(fd);
  }
}

/** Creates the file, which appears with its header, durably. Replaces an empty one of that name, which a failed disk left. */
export async function createSegment(
  folder: string,
  header: SegmentHeader,
): Promise<{ segment: Segment; handle: FileHandle }> {
  const path = segmentPath(folder, header.firstRevision);
  const temporary = `${path}.new`;
  const handle = await open(temporary, constants.O_CREAT | constants.O_TRUNC | appending, 0o600);
  try {
    await writeAll(handle, encodeHeader(header), 0);
    renameSync(temporary, path);
    syncFolder(folder);
  } catch (error) {
    await handle.close();
    rmSync(temporary, { force: true });
    throw error;
  }
  return { segment: { path, first: header.firstRevision, header, length: headerLength, kept: 0 }, handle };
}

/** Every write is durable when it returns: one call instead of a write and a sync. */
const appending = constants.O_RDWR | constants.O_DSYNC;

export function openSegment({ path }: Segment): Promise<FileHandle> {
  return open(path, appending);
}

/** A write may take less than it was given, as on a disk that fills up. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
}

/** Creates a file that is there with all of its text, or not at all. */
export function writeDurably(path: string, text: string): void {
  const temporary = `${path}.new`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

/** Makes names of a folder durable: created, renamed and deleted files. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
