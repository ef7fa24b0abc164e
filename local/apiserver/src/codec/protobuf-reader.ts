import { DecodeError } from '@tektite/go';
import { normalizeInteger } from '@tektite/meta';

/** How a field's value is laid out. */
export type WireType = 0 | 1 | 2 | 5;

/** Reads the wire format of protobuf. Throws a {@link DecodeError} when the bytes end too early or make no sense. */
export class ProtobufReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The number and the layout of the next field. */
  tag(): { readonly number: number; readonly wire: WireType } {
    const tag = Number(this.varint());
    const wire = tag & 7;
    const number = Math.floor(tag / 8);
    if (number < 1 || (wire !== 0 && wire !== 1 && wire !== 2 && wire !== 5)) {
      throw new DecodeError(`proto: illegal tag ${number} (wire type ${wire})`);
    }
    return { number, wire };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw unexpectedEnd();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DecodeError('proto: integer overflow');
  }

  /** A signed integer of 64 bits. */
  integer(): number | bigint {
    return normalizeInteger(BigInt.asIntN(64, this.varint()));
  }

  double(): number {
    const part = this.take(8);
    return new DataView(part.buffer, part.byteOffset, 8).getFloat64(0, true);
  }

  /** The bytes of a string, a message or a list of numbers. */
  chunk(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.bytes.length - this.at)) throw unexpectedEnd();
    return this.take(Number(length));
  }

  skip(wire: WireType): void {
    if (wire === 0) this.varint();
    else if (wire === 2) this.chunk();
    else this.take(wire === 1 ? 8 : 4);
  }

  private take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw unexpectedEnd();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function unexpectedEnd(): DecodeError {
  return new DecodeError('unexpected EOF');
}
