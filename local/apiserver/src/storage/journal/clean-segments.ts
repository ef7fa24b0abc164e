import { rmSync } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CompactionState } from './journal.ts';
import { encodeHeader, frameOfEncoded, headerLength, readFrame, recordsOf } from './segment-format.ts';
import { damagedFile } from './folder-error.ts';
import { type Segment, syncFolder, writeAll } from './segment.ts';

export interface CleaningLimits {
  /** A rewritten segment is not larger. */
  readonly segmentBytes: number;
  /** A run of segments is rewritten when that many of its bytes are of no use, and that share of all. */
  readonly minGarbage: number;
  readonly minShare: number;
}

const maxSmallSegments = 8;

/**
 * Chooses adjacent segments to rewrite as one: the oldest run of which enough is garbage, or that is many small files.
 * `undefined` when none is worth its cost.
 */
export function chooseRun(segments: readonly Segment[], limits: CleaningLimits): readonly Segment[] | undefined {
  for (let start = 0; start < segments.length; ) {
    let end = start;
    let kept = 0;
    let length = 0;
    for (; end < segments.length; end++) {
      const segment = segments[end] as Segment;
      if (end > start && kept + segment.kept > limits.segmentBytes) break;
      kept += segment.kept;
      length += segment.length;
    }
    const garbage = length - kept;
    const isWasteful = garbage >= limits.minGarbage && garbage >= length * limits.minShare;
    if (isWasteful || end - start > maxSmallSegments) return segments.slice(start, end);
    start = end;
  }
  return undefined;
}

/** Records are copied in frames of about this size. */
const frameBytes = 256 * 1024;

/**
 * Writes the records of a run that are still needed into one sealed segment, which takes the place of the first; the others
 * are deleted after that. A crash leaves the old segments, or the new one and leftovers that the next start deletes.
 *
 * The header gets the compacted revision last: a record that was left out is covered by it.
 */
export async function rewriteRun(
  run: readonly Segment[],
  lastRevision: number,
  state: CompactionState,
): Promise<Segment> {
  const [oldest] = run as readonly [Segment, ...Segment[]];
  const folder = dirname(oldest.path);
  const temporary = `${oldest.path}.new`;
  const handle = await open(temporary, 'w', 0o600);
  const segment: Segment = { ...oldest, length: headerLength, kept: 0 };
  try {
    for (const old of run) await copyKept(old, state, segment, handle);
    const sealed = { length: segment.length, lastRevision };
    const header = { ...oldest.header, compactedRevision: state.compactedRevision, sealed };
    await writeAll(handle, encodeHeader(header), 0);
    await handle.sync();
    await handle.close();
    await rename(temporary, oldest.path);
    syncFolder(folder);
    for (const { path } of run.slice(1)) rmSync(path);
    return { ...segment, header };
  } catch (error) {
    await handle.close().catch(() => undefined);
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function copyKept(old: Segment, state: CompactionState, target: Segment, handle: FileHandle): Promise<void> {
  const bytes = (await readFile(old.path)).subarray(0, old.length);
  let pending: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (pending.length > 0) await append(handle, target, frameOfEncoded(pending));
    pending = [];
    size = 0;
  };
  for (let offset = headerLength; offset < bytes.length; ) {
    const frame = readFrame(bytes, offset);
    if (typeof frame === 'string') throw damagedFile(old.path, `the frame at byte ${offset} is not what was written`);
    if (frame.type === 'records')
      for (const record of recordsOf(frame.payload)) {
        if (!state.isKept(record.key, record.revision)) continue;
        pending.push(record.bytes);
        size += record.bytes.length;
        target.kept += record.bytes.length;
        if (size >= frameBytes) await flush();
      }
    offset = frame.end;
  }
  await flush();
}

async function append(handle: FileHandle, segment: Segment, frame: Buffer): Promise<void> {
  await writeAll(handle, frame, segment.length);
  segment.length += frame.length;
}
