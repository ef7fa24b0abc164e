import type { OutputStream } from '../runtime/pod-runtime.ts';
import { formatLogLine } from './log-line.ts';

/** A line that is longer is written in parts, as container runtimes do. */
const longestPart = 16 * 1024;
const newline = 0x0a;

/** Cuts the chunks of the streams of a container into lines of its log. */
export class LineSplitter {
  private readonly rest = new Map<OutputStream, Buffer>();

  /** The lines that are complete by this chunk. */
  push(stream: OutputStream, chunk: Uint8Array, time: string): Buffer[] {
    const before = this.rest.get(stream);
    let data = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (before) data = Buffer.concat([before, data]);
    const lines: Buffer[] = [];
    let start = 0;
    for (;;) {
      const end = data.indexOf(newline, start);
      const stop = end < 0 ? data.length : end;
      while (stop - start > longestPart) {
        const text = data.subarray(start, start + longestPart);
        lines.push(formatLogLine({ time, stream, complete: false, text }));
        start += longestPart;
      }
      if (end < 0) break;
      lines.push(formatLogLine({ time, stream, complete: true, text: data.subarray(start, end) }));
      start = end + 1;
    }
    // A copy: the chunk's memory may be used again.
    if (start < data.length) this.rest.set(stream, Buffer.from(data.subarray(start)));
    else this.rest.delete(stream);
    return lines;
  }

  /** The rest of an unterminated line. */
  end(time: string): Buffer[] {
    const lines = [...this.rest].map(([stream, text]) => formatLogLine({ time, stream, complete: false, text }));
    this.rest.clear();
    return lines;
  }
}
