/**
 * The Distinguished Encoding Rules of ASN.1, as far as certificates are written with them: each value is a tag, its length, and
 * what is in it.
 */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...items);
}

export function set(item: Uint8Array): Buffer {
  return tagged(0x31, item);
}

/** A value with an explicit tag. */
export function explicit(number: number, item: Uint8Array): Buffer {
  return tagged(0xa0 | number, item);
}

/** Something primitive that is known by its number alone. */
export function implicit(number: number, bytes: Uint8Array): Buffer {
  return tagged(0x80 | number, bytes);
}

/** A number that is not negative, whose first byte is not 0 unless it is the only one. */
export function integer(bytes: Uint8Array): Buffer {
  return tagged(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), bytes);
}

export const yes = tagged(0x01, Buffer.of(0xff));

export function octets(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

/** `unused`: how many bits at the end of the last byte do not count. */
export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), bytes);
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

/** @example objectId('2.5.4.3') */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others].flatMap(inSevens)));
}

/** Seven bits to a byte; all but the last byte say that another one comes. */
function inSevens(number: number): readonly number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** To the second. Certificates encode the years before 2050 with two digits. */
export function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '');
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

/** The values in a value, each whole, with tag and length. For what was found well-formed before. */
export function itemsOf(value: Uint8Array): readonly Buffer[] {
  const buffer = Buffer.from(value);
  const items: Buffer[] = [];
  for (let at = contentStart(buffer, 0); at < buffer.length; ) {
    const end = contentStart(buffer, at) + contentLength(buffer, at);
    items.push(buffer.subarray(at, end));
    at = end;
  }
  return items;
}

function contentStart(buffer: Buffer, at: number): number {
  const first = buffer[at + 1] ?? 0;
  return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
}

function contentLength(buffer: Buffer, at: number): number {
  const first = buffer[at + 1] ?? 0;
  return first < 0x80 ? first : buffer.readUIntBE(at + 2, first & 0x7f);
}
