const initialSize = 16 * 1024;

/**
 * Writes the wire format of protobuf from its end to its start: a nested message is written before its length, so nothing is measured
 * twice or copied. Bytes are therefore written last to first: the value, its length, its tag.
 */
export class ReverseWriter {
  private buffer = Buffer.allocUnsafe(initialSize);
  private position = initialSize;

  /** How many bytes have been written. */
  get length(): number {
    return this.buffer.length - this.position;
  }

  byte(value: number): void {
    if (this.position === 0) this.grow(1);
    this.buffer[--this.position] = value;
  }

  varint(value: number): void {
    if (value < 0x80 && value >= 0) {
      if (this.position === 0) this.grow(1);
      this.buffer[--this.position] = value;
    } else if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) this.longVarint(value);
    else this.bigVarint(BigInt(value));
  }

  /** Negative numbers take ten bytes, as two's complement of 64 bits. */
  bigVarint(value: bigint): void {
    const bytes: number[] = [];
    for (let left = BigInt.asUintN(64, value); ; left >>= 7n) {
      if (left < 0x80n) {
        bytes.push(Number(left));
        break;
      }
      bytes.push(Number(left & 0x7fn) | 0x80);
    }
    this.raw(Buffer.from(bytes));
  }

  double(value: number): void {
    this.reserve(8);
    this.position -= 8;
    this.buffer.writeDoubleLE(value, this.position);
  }

  /** Text with its length. */
  text(text: string): void {
    const length = this.content(text);
    this.varint(length);
  }

  /** Bytes with their length. */
  chunk(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.position -= bytes.length;
    this.buffer.set(bytes, this.position);
  }

  /** All that was written, and starts from the beginning. The bytes are the caller's own. */
  take(): Buffer {
    const bytes = Buffer.from(this.buffer.subarray(this.position));
    this.position = this.buffer.length;
    // One large object does not keep its memory for ever.
    if (this.buffer.length > maxKeptSize) {
      this.buffer = Buffer.allocUnsafe(initialSize);
      this.position = initialSize;
    }
    return bytes;
  }

  private content(text: string): number {
    const { length } = text;
    if (length > shortText) return this.longContent(text);
    this.reserve(length);
    const { buffer } = this;
    const start = this.position - length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) return this.longContent(text);
      buffer[start + i] = code;
    }
    this.position = start;
    return length;
  }

  private longContent(text: string): number {
    const length = Buffer.byteLength(text);
    this.reserve(length);
    this.position -= length;
    this.buffer.write(text, this.position);
    return length;
  }

  private longVarint(value: number): void {
    this.reserve(8);
    let size = 1;
    for (let left = value; left >= 0x80; left = Math.floor(left / 0x80)) size++;
    this.position -= size;
    let at = this.position;
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.buffer[at++] = (left % 0x80) | 0x80;
    this.buffer[at] = left;
  }

  private reserve(bytes: number): void {
    if (this.position < bytes) this.grow(bytes);
  }

  private grow(bytes: number): void {
    const { length } = this;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, length + bytes));
    this.buffer.copy(larger, larger.length - length, this.position);
    this.position = larger.length - length;
    this.buffer = larger;
  }
}

/** Calls into native code cost more than a loop over so few characters. */
const shortText = 48;
const maxKeptSize = 1024 * 1024;
