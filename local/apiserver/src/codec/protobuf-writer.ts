/** Writes the wire format of protobuf. Zero values are written: leaving them out is up to the caller. */
export class ProtobufWriter {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  varint(field: number, value: number): void {
    this.tag(field, 0);
    this.append(varintBytes(value));
  }

  bool(field: number, value: boolean): void {
    this.varint(field, value ? 1 : 0);
  }

  double(field: number, value: number): void {
    this.tag(field, 1);
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.append(bytes);
  }

  string(field: number, text: string): void {
    this.bytes(field, Buffer.from(text));
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.tag(field, 2);
    this.append(varintBytes(bytes.length));
    this.append(bytes);
  }

  /** A nested message, written by `write`. */
  message(field: number, write: (writer: ProtobufWriter) => void): void {
    const nested = new ProtobufWriter();
    write(nested);
    this.bytes(field, nested.finish());
  }

  finish(): Uint8Array {
    return Buffer.concat(this.chunks, this.length);
  }

  private tag(field: number, wire: 0 | 1 | 2): void {
    this.append(varintBytes(field * 8 + wire));
  }

  private append(bytes: Uint8Array): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
  }
}

/** Negative numbers take ten bytes, as two's complement of 64 bits. */
function varintBytes(value: number): Uint8Array {
  if (value >= 0 && value < 0x80) return Uint8Array.of(value);
  const bytes: number[] = [];
  for (let left = BigInt.asUintN(64, BigInt(value)); ; left >>= 7n) {
    if (left < 0x80n) {
      bytes.push(Number(left));
      return Uint8Array.from(bytes);
    }
    bytes.push(Number(left & 0x7fn) | 0x80);
  }
}
