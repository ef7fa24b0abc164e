import type { FileHandle } from 'node:fs/promises';

/** One of the files of a log. */
export interface LogSegment {
  readonly path: string;
  readonly file: FileHandle;
}

const blockSize = 64 * 1024;
const newline = 0x0a;

/**
 * Where to begin so that so many lines follow; at the start without a number. Read backwards, so that the end of a long log
 * costs no more than its length. Parts of a long line count as lines, as they do for kubelets.
 */
export async function tailOffset(
  segments: readonly LogSegment[],
  lines: number | undefined,
): Promise<{ segment: number; offset: number }> {
  if (lines === undefined) return { segment: 0, offset: 0 };
  let wanted = lines;
  for (let segment = segments.length - 1; segment >= 0; segment--) {
    const found = await lineStartFromEnd(segments[segment] as LogSegment, wanted);
    if (found.offset !== undefined) return { segment, offset: found.offset };
    wanted -= found.lines;
  }
  return { segment: 0, offset: 0 };
}

/** The offset at which the last `wanted` lines begin, or how many lines there are when there are fewer. */
async function lineStartFromEnd({ file }: LogSegment, wanted: number): Promise<{ offset?: number; lines: number }> {
  const { size } = await file.stat();
  if (wanted === 0) return { offset: size, lines: 0 };
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockSize);
    const block = Buffer.alloc(end - start);
    await file.read(block, 0, block.length, start);
    for (let i = block.length - 1; i >= 0; i--) {
      if (block[i] !== newline) continue;
      if (found === wanted) return { offset: start + i + 1, lines: found };
      found++;
    }
    end = start;
  }
  return found === wanted ? { offset: 0, lines: found } : { lines: found };
}
