import { readFileSync, rmSync, truncateSync } from 'node:fs';
import type { Position } from './acknowledged-position.ts';
import { damagedFile } from './folder-error.ts';
import type { JournalReader } from './journal.ts';
import { headerLength, readFrame, recordsOf } from './segment-format.ts';
import type { Segment } from './segment.ts';

export interface LoadedSegments {
  readonly segments: Segment[];
  readonly revision: number;
}

/**
 * Reads all segments into a store, one file at a time.
 *
 * Guarantees
 * - Every acknowledged write is read, or this throws a FolderError that names the file. A write that a crash interrupted is
 *   cut off, and reported.
 * - Segments that were merged into an older one, but not deleted before a crash, are deleted.
 */
export function loadSegments(
  found: readonly Segment[],
  acknowledged: Position | undefined,
  reader: JournalReader,
  onNotice: (text: string) => void,
): LoadedSegments {
  const segments: Segment[] = [];
  let revision = 0;
  for (const [index, segment] of found.entries()) {
    const { path, first, header } = segment;
    if (first <= revision) {
      // Files are deleted after the merged one is durable, so this one has no further content.
      rmSync(path);
      continue;
    }
    if (first !== revision + 1) throw damagedFile(path, 'a segment before it is missing');
    segments.push(segment);
    const next = found[index + 1];
    const bytes = readFileSync(path);
    const end = header.sealed?.length ?? next?.header.previousLength;
    if (end !== undefined && bytes.length < end) throw damagedFile(path, `${end - bytes.length} bytes are missing`);
    const last = readSegment(segment, bytes.subarray(0, end), reader);
    if (end === undefined) cutTail(segment, bytes, acknowledged, onNotice);
    else if (segment.length < end) throw damagedAt(segment);
    revision = header.sealed?.lastRevision ?? (next ? next.first - 1 : Math.max(last, first - 1));
  }
  if (acknowledged && acknowledged.segment > revision) {
    const { path = '' } = found.at(-1) ?? {};
    throw damagedFile(path, `the segment of revision ${acknowledged.segment}, which followed it, is missing`);
  }
  return { segments, revision };
}

/** Reads frames up to the first that is not valid; returns the last revision. */
function readSegment(segment: Segment, bytes: Buffer, reader: JournalReader): number {
  let revision = 0;
  reader.compacted(segment.header.compactedRevision);
  for (;;) {
    const frame = readFrame(bytes, segment.length);
    if (typeof frame === 'string') return revision;
    if (frame.type === 'compacted') reader.compacted(frame.revision);
    else
      for (const record of recordsOf(frame.payload)) {
        reader.record(record.decode(), record.bytes.length);
        segment.kept += record.bytes.length;
        ({ revision } = record);
      }
    segment.length = frame.end;
  }
}

/** Cuts a write that was interrupted. It is the last thing of the newest segment, and was not acknowledged. */
function cutTail(
  segment: Segment,
  bytes: Buffer,
  acknowledged: Position | undefined,
  onNotice: (text: string) => void,
): void {
  const { path, first, length } = segment;
  const isLost = acknowledged?.segment === first ? acknowledged.length > length : hasFrameBehind(bytes, length);
  if (isLost) throw damagedAt(segment);
  if (length === bytes.length) return;
  truncateSync(path, length);
  onNotice(`${path}: cut ${bytes.length - length} bytes of a write that was interrupted before it was acknowledged`);
}

/** Whether a valid frame follows a damaged one. Only tried where the acknowledged position is not known. */
function hasFrameBehind(bytes: Buffer, offset: number): boolean {
  for (let at = offset + 1; at + headerLength < bytes.length; at++)
    if (typeof readFrame(bytes, at) === 'object') return true;
  return false;
}

function damagedAt({ path, length }: Segment): Error {
  return damagedFile(path, `the frame at byte ${length} is not what was written`);
}
