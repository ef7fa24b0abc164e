/** Messages of the domain name system, as far as a name server of a cluster needs them (RFC 1035, 2782, 6891). */

export const recordTypes = { A: 1, CNAME: 5, SOA: 6, PTR: 12, AAAA: 28, SRV: 33, OPT: 41, ANY: 255 } as const;
export const responseCodes = { noError: 0, formatError: 1, serverFailure: 2, nameError: 3, notImplemented: 4 } as const;

export type DnsRecord = { readonly name: string; readonly ttl: number } & (
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'CNAME' | 'PTR'; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | { readonly type: 'SOA'; readonly origin: string }
);

export interface DnsQuery {
  readonly id: number;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  readonly recursionDesired: boolean;
  /** The question as it was sent: clients compare its letters. */
  readonly question: Buffer;
  /** How long an answer over UDP may be. */
  readonly maxLength: number;
}

export interface DnsAnswer {
  readonly code: number;
  readonly answers: readonly DnsRecord[];
  readonly authority?: readonly DnsRecord[];
  readonly additional?: readonly DnsRecord[];
}

const headerLength = 12;
const plainLength = 512;
const longestOverUdp = 1232;
const longestName = 255;
const internetClass = 1;

/** Undefined: not a query, or none that can be answered. */
export function parseQuery(bytes: Buffer): DnsQuery | undefined {
  if (bytes.length < headerLength) return undefined;
  const flags = bytes.readUInt16BE(2);
  const isStandardQuery = (flags & 0xf800) === 0;
  if (!isStandardQuery || bytes.readUInt16BE(4) !== 1) return undefined;
  const read = readName(bytes, headerLength);
  if (!read || read.end + 4 > bytes.length) return undefined;
  if (bytes.readUInt16BE(read.end + 2) !== internetClass) return undefined;
  return {
    id: bytes.readUInt16BE(0),
    name: read.name.toLowerCase(),
    type: bytes.readUInt16BE(read.end),
    recursionDesired: (flags & 0x0100) !== 0,
    question: bytes.subarray(headerLength, read.end + 4),
    maxLength: maxLengthOf(bytes, read.end + 4),
  };
}

/** The answer to a query. Over UDP, one that is too long is sent empty and marked as cut: the client asks again over TCP. */
export function encodeAnswer(query: DnsQuery, answer: DnsAnswer, transport: 'udp' | 'tcp'): Buffer {
  const whole = encode(query, answer, false);
  if (transport === 'tcp' || whole.length <= query.maxLength) return whole;
  return encode(query, { code: answer.code, answers: [] }, true);
}

function encode(query: DnsQuery, { code, answers, authority = [], additional = [] }: DnsAnswer, cut: boolean): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(query.id, 0);
  // A response, authoritative, with recursion available.
  header.writeUInt16BE(0x8480 | (query.recursionDesired ? 0x0100 : 0) | (cut ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt16BE(authority.length, 8);
  header.writeUInt16BE(additional.length, 10);
  const records = [...answers, ...authority, ...additional].map((record) => encodeRecord(record, query.name));
  return Buffer.concat([header, query.question, ...records]);
}

function encodeRecord(record: DnsRecord, questioned: string): Buffer {
  // The name of the question is that of most answers: a pointer to it.
  const name = record.name === questioned ? Buffer.from([0xc0, headerLength]) : encodeName(record.name);
  const data = encodeData(record);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(recordTypes[record.type], 0);
  fixed.writeUInt16BE(internetClass, 2);
  fixed.writeUInt32BE(record.ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function encodeData(record: DnsRecord): Buffer {
  switch (record.type) {
    case 'A':
      return Buffer.from(record.address.split('.').map(Number));
    case 'CNAME':
    case 'PTR':
      return encodeName(record.target);
    case 'SRV': {
      const fixed = Buffer.alloc(6);
      fixed.writeUInt16BE(record.priority, 0);
      fixed.writeUInt16BE(record.weight, 2);
      fixed.writeUInt16BE(record.port, 4);
      return Buffer.concat([fixed, encodeName(record.target)]);
    }
    case 'SOA': {
      const numbers = Buffer.alloc(20);
      for (const [index, value] of [1, 7200, 1800, 86_400, record.ttl].entries())
        numbers.writeUInt32BE(value, 4 * index);
      return Buffer.concat([encodeName(`ns.dns.${record.origin}`), encodeName(`hostmaster.${record.origin}`), numbers]);
    }
  }
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.flatMap((label) => {
      const bytes = Buffer.from(label, 'latin1').subarray(0, 63);
      return [Buffer.from([bytes.length]), bytes];
    }),
    Buffer.from([0]),
  ]);
}

/** Names of questions have no pointers: there is nothing before them. */
function readName(bytes: Buffer, start: number): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > 63 || at - start > longestName) return undefined;
    if (length === 0) return { name: labels.join('.'), end: at + 1 };
    if (at + 1 + length > bytes.length) return undefined;
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
}

/** From the OPT record that clients add, where it is the only one. */
function maxLengthOf(bytes: Buffer, at: number): number {
  const others = bytes.readUInt16BE(6) + bytes.readUInt16BE(8);
  if (others > 0 || bytes.readUInt16BE(10) !== 1 || at + 11 > bytes.length) return plainLength;
  if (bytes[at] !== 0 || bytes.readUInt16BE(at + 1) !== recordTypes.OPT) return plainLength;
  return Math.min(longestOverUdp, Math.max(plainLength, bytes.readUInt16BE(at + 3)));
}
