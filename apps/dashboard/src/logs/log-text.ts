/** A line of a log: its time, as the API sends it with `timestamps`, and its text. */
export interface LogLine {
  readonly time: string;
  readonly text: string;
}

const firstCapacity = 1024;

/**
 * The lines of one log, kept as large texts and the places of the lines in them: a string for each of a million lines would take
 * several times the memory.
 */
export class LogText {
  private readonly chunks: string[] = [];
  /** For each line: the number of its chunk, where it starts, where it ends. */
  private places = new Uint32Array(firstCapacity * 3);
  private count = 0;
  private readonly decoder = new TextDecoder();
  private rest = '';

  get lineCount(): number {
    return this.count;
  }

  append(bytes: Uint8Array): void {
    this.add(this.decoder.decode(bytes, { stream: true }), false);
  }

  /** The log is complete: its last line need not end with a line feed. */
  end(): void {
    this.add(this.decoder.decode(), true);
  }

  clear(): void {
    this.chunks.length = 0;
    this.count = 0;
    this.rest = '';
  }

  line(index: number): LogLine {
    const raw = this.raw(index);
    const space = raw.indexOf(' ');
    // 2026-01-01T00:00:00.123456789Z
    const isTimed = space >= 20 && space <= 36 && raw.charCodeAt(4) === 45 && raw.charCodeAt(10) === 84;
    return isTimed ? { time: raw.slice(0, space), text: raw.slice(space + 1) } : { time: '', text: raw };
  }

  private raw(index: number): string {
    const at = index * 3;
    const { places } = this;
    return this.chunks[places[at] ?? 0]?.slice(places[at + 1], places[at + 2]) ?? '';
  }

  private add(text: string, isLast: boolean): void {
    const whole = this.rest + text;
    const end = isLast ? whole.length : whole.lastIndexOf('\n') + 1;
    this.rest = whole.slice(end);
    if (end === 0) return;
    const chunk = whole.slice(0, end);
    const number = this.chunks.push(chunk) - 1;
    for (let start = 0; start < chunk.length; ) {
      const found = chunk.indexOf('\n', start);
      const stop = found < 0 ? chunk.length : found;
      this.addPlace(number, start, stop);
      start = stop + 1;
    }
  }

  private addPlace(chunk: number, start: number, stop: number): void {
    const at = this.count * 3;
    if (at + 3 > this.places.length) {
      const larger = new Uint32Array(this.places.length * 2);
      larger.set(this.places);
      this.places = larger;
    }
    this.places[at] = chunk;
    this.places[at + 1] = start;
    this.places[at + 2] = stop;
    this.count++;
  }
}
