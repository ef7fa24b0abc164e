import type { Random } from '@tektite/meta';

/** Makes protobuf messages by the grammar of its wire format: good tags and lengths most of the time, with any content. */
export class ProtobufGrammar {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** An object as Go clients send it: four bytes, its type, its message. */
  envelope(apiVersion: string, kind: string): Buffer {
    const type = Buffer.concat([this.chunk(1, Buffer.from(apiVersion)), this.chunk(2, Buffer.from(kind))]);
    const parts = [this.chunk(1, type), this.chunk(2, this.message(0))];
    if (this.oneIn(20)) parts.reverse();
    if (this.oneIn(20)) parts.push(this.field(0));
    return Buffer.concat([Buffer.from('k8s\0'), ...parts]);
  }

  private message(depth: number): Buffer {
    return Buffer.concat(Array.from({ length: this.upTo(depth > 6 ? 2 : 6) }, () => this.field(depth)));
  }

  private field(depth: number): Buffer {
    const number = this.oneIn(10) ? this.upTo(2 ** 29) : 1 + this.upTo(16);
    const wire = this.oneIn(30) ? this.upTo(8) : ([2, 2, 2, 0, 1, 5][this.upTo(6)] as number);
    const tag = varint(BigInt(number) * 8n + BigInt(wire));
    if (wire === 0) return Buffer.concat([tag, varint(this.integer())]);
    if (wire === 2) return this.chunk(number, this.content(depth));
    return Buffer.concat([tag, this.bytes(wire === 1 ? 8 : wire === 5 ? 4 : this.upTo(12))]);
  }

  private content(depth: number): Buffer {
    switch (this.upTo(5)) {
      case 0:
        return this.bytes(this.upTo(12));
      case 1:
        return Buffer.from(
          ['', 'a', 'a.b/c', '1Gi', '{"a":1}', '2026-01-01T00:00:00Z', '__proto__'][this.upTo(7)] as string,
        );
      case 2:
        // Deeper than any object.
        if (this.oneIn(200)) return this.nested(1 + this.upTo(20_000));
        return this.message(depth + 1);
      default:
        return this.message(depth + 1);
    }
  }

  private nested(levels: number): Buffer {
    let inner: Buffer = Buffer.alloc(0);
    for (let level = 0; level < Math.min(levels, 2000); level++) inner = this.chunk(1 + this.upTo(3), inner);
    return inner;
  }

  /** A field of bytes; now and then its length is not that of its content. */
  private chunk(number: number, content: Buffer): Buffer {
    const length = this.oneIn(100) ? this.integer() : BigInt(content.length);
    return Buffer.concat([varint(BigInt(number) * 8n + 2n), varint(length), content]);
  }

  private integer(): bigint {
    const bits = this.upTo(65);
    return BigInt.asUintN(bits, BigInt(Math.floor(this.random.next() * 2 ** 32)) * 0x1_0000_0001n);
  }

  private bytes(length: number): Buffer {
    return Buffer.from(this.random.bytes(length));
  }

  private upTo(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  private oneIn(count: number): boolean {
    return this.random.next() * count < 1;
  }
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    if (rest <= 0x7fn) return Buffer.from(bytes);
  }
}
