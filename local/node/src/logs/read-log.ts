import { open } from 'node:fs/promises';
import { type Clock, instantToMilliseconds, parseTime } from '@tektite/meta';
import type { ContainerLog } from './container-log.ts';
import { type LogLine, parseLogLine } from './log-line.ts';
import { type LogSegment, tailOffset } from './tail-offset.ts';

/** Log options, named as in the API. */
export interface ReadLogOptions {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Files that may have been put aside, at most; see `ContainerLog`. */
const maxSegments = 16;
const chunkSize = 64 * 1024;
const newline = 0x0a;

/**
 * The text of a log. With `follow` and a log that is still written (`live`), it goes on until that is closed.
 *
 * @example
 * for await (const chunk of readLog(path, undefined, { tailLines: 10 }, clock)) process.stdout.write(chunk);
 */
export async function* readLog(
  path: string,
  live: ContainerLog | undefined,
  options: ReadLogOptions,
  clock: Clock,
): AsyncGenerator<Buffer, void> {
  const since = sinceMilliseconds(options, clock.now());
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let lineStart = true;
  // Lines that are printed while the last ones are read are no more of them.
  let lines = options.follow ? Number.POSITIVE_INFINITY : (options.tailLines ?? Number.POSITIVE_INFINITY);
  for await (const line of logLines(path, live, options)) {
    if (lines-- <= 0) return;
    if (since !== undefined && Date.parse(line.time) < since) continue;
    let text = line.complete ? Buffer.concat([line.text, Buffer.from('\n')]) : line.text;
    // Parts of one line get one time, as kubelets print them.
    if (options.timestamps && lineStart) text = Buffer.concat([Buffer.from(`${line.time} `), text]);
    lineStart = line.complete;
    if (text.length > left) text = text.subarray(0, left);
    left -= text.length;
    if (text.length > 0) yield text;
    if (left <= 0) return;
  }
}

function sinceMilliseconds({ sinceSeconds, sinceTime }: ReadLogOptions, now: number): number | undefined {
  if (sinceSeconds !== undefined) return now - sinceSeconds * 1000;
  if (sinceTime === undefined) return undefined;
  return instantToMilliseconds(parseTime(sinceTime));
}

async function* logLines(
  path: string,
  live: ContainerLog | undefined,
  { follow = false, tailLines }: ReadLogOptions,
): AsyncGenerator<LogLine, void> {
  const rotations = live?.rotations ?? 0;
  const segments = await openSegments(path);
  const current = segments.at(-1);
  try {
    let { segment, offset } = await tailOffset(segments, tailLines);
    for (; segment < segments.length - 1; segment++, offset = 0) yield* linesOfFile(segments[segment], { offset });
    const position = { offset: current?.path === path ? offset : 0 };
    yield* linesOfFile(current, position);
    if (follow && live) yield* following(path, live, current?.path === path ? current : undefined, position, rotations);
  } finally {
    for (const { file } of segments) await file.close().catch(() => undefined);
  }
}

/** The files of a log, oldest first. */
async function openSegments(path: string): Promise<LogSegment[]> {
  const segments: LogSegment[] = [];
  for (let i = 0; i < maxSegments; i++) {
    const name = i === 0 ? path : `${path}.${i}`;
    try {
      segments.unshift({ path: name, file: await open(name, 'r') });
    } catch {
      if (i > 0) break;
    }
  }
  return segments;
}

/** All complete lines from the position on, which is moved behind the last of them. */
async function* linesOfFile(
  segment: LogSegment | undefined,
  position: { offset: number },
): AsyncGenerator<LogLine, void> {
  if (!segment) return;
  let rest = Buffer.alloc(0);
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkSize);
    const { bytesRead } = await segment.file.read(buffer, 0, chunkSize, position.offset + rest.length);
    if (bytesRead === 0) return;
    const data = rest.length > 0 ? Buffer.concat([rest, buffer.subarray(0, bytesRead)]) : buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
      const line = parseLogLine(data.subarray(start, end));
      position.offset += end + 1 - start;
      start = end + 1;
      if (line) yield line;
    }
    rest = Buffer.from(data.subarray(start));
  }
}

async function* linesOfPath(path: string): AsyncGenerator<LogLine, void> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return;
  try {
    yield* linesOfFile({ path, file }, { offset: 0 });
  } finally {
    await file.close();
  }
}

async function* following(
  path: string,
  live: ContainerLog,
  first: LogSegment | undefined,
  position: { offset: number },
  rotationsSeen: number,
): AsyncGenerator<LogLine, void> {
  let segment = first;
  let rotations = rotationsSeen;
  let wake: (() => void) | undefined;
  let changed = true;
  using _watch = live.watch(() => {
    changed = true;
    wake?.();
  });
  try {
    for (;;) {
      changed = false;
      const closed = live.closed;
      const rotated = live.rotations - rotations;
      // A file that was rotated while it was read is read to its end first, then newer rotated ones.
      yield* linesOfFile(segment, position);
      if (rotated > 0 || !segment) {
        if (segment && segment !== first) await segment.file.close();
        for (let aside = rotated - 1; aside >= 1; aside--) yield* linesOfPath(`${path}.${aside}`);
        rotations += rotated;
        const file = await open(path, 'r').catch(() => undefined);
        segment = file && { path, file };
        position.offset = 0;
        if (segment) continue;
      }
      if (closed) return;
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    if (segment && segment !== first) await segment.file.close().catch(() => undefined);
  }
}
