import type { OutputStream } from '../runtime/pod-runtime.ts';

/** A line of a container's log, in the format container runtimes write: `TIME STREAM TAG TEXT`. */
export interface LogLine {
  /** RFC 3339 with nine digits of a second. */
  readonly time: string;
  readonly stream: OutputStream;
  /** Whether the container ended the line here. Otherwise the next one of the stream goes on with it. */
  readonly complete: boolean;
  readonly text: Buffer;
}

const space = 0x20;

/** `2026-01-01T00:00:00.000000000Z`: the fixed width keeps logs sortable as text. */
export function logTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000000Z`;
}

export function formatLogLine({ time, stream, complete, text }: LogLine): Buffer {
  return Buffer.concat([Buffer.from(`${time} ${stream} ${complete ? 'F' : 'P'} `), text, Buffer.from('\n')]);
}

/** Reads a line without its newline. Undefined when it is none: a write that was cut, or another program's. */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(space);
  const second = first < 0 ? -1 : line.indexOf(space, first + 1);
  const third = second < 0 ? -1 : line.indexOf(space, second + 1);
  if (third < 0) return undefined;
  const stream = line.toString('latin1', first + 1, second);
  const tags = line.toString('latin1', second + 1, third);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  return {
    time: line.toString('latin1', 0, first),
    stream,
    complete: tags.split(':')[0] === 'F',
    text: line.subarray(third + 1),
  };
}
