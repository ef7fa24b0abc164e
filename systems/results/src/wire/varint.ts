/** The parts that all binary messages of protobuf consist of. Numbers beyond 2^53 lose their last digits. */

const invalid = () => new Error('proto: cannot parse invalid wire-format data');

export class Writer {
  private readonly parts: Uint8Array[] = [];

  number(field: number, value: number): void {
    this.parts.push(varint(field << 3), varint(value));
  }

  bytes(field: number, value: Uint8Array): void {
    this.parts.push(varint((field << 3) | 2), varint(value.length), value);
  }

  double(field: number, value: number): void {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value);
    this.parts.push(varint((field << 3) | 1), bytes);
  }

  nested(field: number, write: (inner: Writer) => void): void {
    const inner = new Writer();
    write(inner);
    this.bytes(field, inner.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function varint(value: number): Uint8Array {
  if (value >= 0 && value < 128) return Uint8Array.of(value);
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

export class Reader {
  private readonly buffer: Uint8Array;
  private at = 0;

  constructor(buffer: Uint8Array) {
    this.buffer = buffer;
  }

  get isDone(): boolean {
    return this.at >= this.buffer.length;
  }

  tag(): { readonly number: number; readonly wireType: number } {
    const tag = Number(this.unsigned());
    if (tag >>> 3 === 0) throw invalid();
    return { number: tag >>> 3, wireType: tag & 7 };
  }

  varint(): number {
    return Number(BigInt.asIntN(64, this.unsigned()));
  }

  varint32(): number {
    return Number(BigInt.asIntN(32, this.unsigned()));
  }

  bytes(): Uint8Array {
    const length = Number(this.unsigned());
    const end = this.at + length;
    if (end > this.buffer.length) throw invalid();
    const part = this.buffer.subarray(this.at, end);
    this.at = end;
    return part;
  }

  double(): number {
    const end = this.at + 8;
    if (end > this.buffer.length) throw invalid();
    const view = new DataView(this.buffer.buffer, this.buffer.byteOffset + this.at, 8);
    this.at = end;
    return view.getFloat64(0, true);
  }

  skip(wireType: number): void {
    if (wireType === 0) this.unsigned();
    else if (wireType === 2) this.bytes();
    else if (wireType === 1 || wireType === 5) {
      this.at += wireType === 1 ? 8 : 4;
      if (this.at > this.buffer.length) throw invalid();
    } else throw invalid();
  }

  private unsigned(): bigint {
    const { buffer } = this;
    const first = buffer[this.at];
    if (first !== undefined && first < 128) {
      this.at++;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = buffer[this.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw invalid();
  }
}
