import { crc32 } from 'node:zlib';
import type { JournalRecord } from './journal.ts';

/**
 * The bytes of a segment: a header, then frames. A frame is written by one write and is valid as a whole or not at all.
 *
 *     header  magic 8, store id 16, first revision 8, compacted revision 8, previous length 8, sealed length 8,
 *             last revision 8, zero 4, checksum 4
 *     frame   length 4, checksum of length and payload 4, payload
 *     payload type 1, then: records | compacted revision 8
 *     record  flags 1, revision 6, key length 4, value length 4, key, value (JSON)
 *
 * Numbers are big-endian, texts UTF-8.
 */
const magic = Buffer.from('TEKTJRN3');
export const headerLength = 72;
const frameHead = 8;
const recordHead = 15;

export interface SegmentHeader {
  /** Random bytes of the journal. A segment of another journal does not belong here. */
  readonly storeId: Buffer;
  /** The segment covers revisions from this one. */
  readonly firstRevision: number;
  readonly compactedRevision: number;
  /** The valid length of the segment before this one, when this one was started. 0 for the first. */
  readonly previousLength: number;
  /** Set when the cleaner has rewritten the segment: it ends with this revision, and takes no more frames. */
  readonly sealed?: { readonly length: number; readonly lastRevision: number };
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(headerLength);
  magic.copy(bytes);
  header.storeId.copy(bytes, 8);
  bytes.writeBigUInt64BE(BigInt(header.firstRevision), 24);
  bytes.writeBigUInt64BE(BigInt(header.compactedRevision), 32);
  bytes.writeBigUInt64BE(BigInt(header.previousLength), 40);
  bytes.writeBigUInt64BE(BigInt(header.sealed?.length ?? 0), 48);
  bytes.writeBigUInt64BE(BigInt(header.sealed?.lastRevision ?? 0), 56);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, headerLength - 4)), headerLength - 4);
  return bytes;
}

/** `undefined` when the bytes are no header. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < headerLength || !bytes.subarray(0, 8).equals(magic)) return undefined;
  if (bytes.readUInt32BE(headerLength - 4) !== crc32(bytes.subarray(0, headerLength - 4))) return undefined;
  const number = (offset: number) => Number(bytes.readBigUInt64BE(offset));
  return {
    storeId: Buffer.from(bytes.subarray(8, 24)),
    firstRevision: number(24),
    compactedRevision: number(32),
    previousLength: number(40),
    ...(number(48) > 0 ? { sealed: { length: number(48), lastRevision: number(56) } } : {}),
  };
}

const types = { records: 1, compacted: 2 } as const;

export type Frame =
  | { readonly type: 'records'; readonly payload: Buffer; readonly end: number }
  | { readonly type: 'compacted'; readonly revision: number; readonly end: number };

function frame(payload: Buffer): Buffer {
  payload.writeUInt32BE(payload.length - frameHead, 0);
  payload.writeUInt32BE(checksum(payload), 4);
  return payload;
}

/** Of a whole frame: its length and its payload, without the checksum between them. */
function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(frameHead), crc32(bytes.subarray(0, 4)));
}

export function encodeCompacted(revision: number): Buffer {
  const bytes = Buffer.alloc(frameHead + 9);
  bytes[frameHead] = types.compacted;
  bytes.writeBigUInt64BE(BigInt(revision), frameHead + 1);
  return frame(bytes);
}

/** One frame with all records, and how many bytes each of them takes. */
export function encodeRecords(records: readonly JournalRecord[]): { frame: Buffer; bytes: number[] } {
  const bytes: number[] = [];
  let length = frameHead + 1;
  for (const { key, json = '' } of records) {
    const size = recordHead + Buffer.byteLength(key) + Buffer.byteLength(json);
    bytes.push(size);
    length += size;
  }
  const buffer = Buffer.allocUnsafe(length);
  buffer[frameHead] = types.records;
  let at = frameHead + 1;
  for (const { key, revision, json } of records) {
    buffer[at] = json === undefined ? 1 : 0;
    buffer.writeUIntBE(revision, at + 1, 6);
    const keyLength = buffer.write(key, at + recordHead);
    const jsonLength = json === undefined ? 0 : buffer.write(json, at + recordHead + keyLength);
    buffer.writeUInt32BE(keyLength, at + 7);
    buffer.writeUInt32BE(jsonLength, at + 11);
    at += recordHead + keyLength + jsonLength;
  }
  return { frame: frame(buffer), bytes };
}

/** A frame of records that are encoded already. */
export function frameOfEncoded(records: readonly Buffer[]): Buffer {
  return frame(Buffer.concat([Buffer.alloc(frameHead), Buffer.of(types.records), ...records]));
}

/** The frame at an offset; `cut` when the bytes end before it does, `damaged` when it is not what was written. */
export function readFrame(bytes: Buffer, offset: number): Frame | 'cut' | 'damaged' {
  if (offset + frameHead > bytes.length) return 'cut';
  const length = bytes.readUInt32BE(offset);
  if (length === 0) return 'damaged';
  const end = offset + frameHead + length;
  if (end > bytes.length) return 'cut';
  const whole = bytes.subarray(offset, end);
  if (whole.readUInt32BE(4) !== checksum(whole)) return 'damaged';
  const type = whole[frameHead];
  if (type === types.records) return { type: 'records', payload: whole.subarray(frameHead + 1), end };
  if (type !== types.compacted || length !== 9) return 'damaged';
  return { type: 'compacted', revision: Number(whole.readBigUInt64BE(frameHead + 1)), end };
}

/** A record as it stands in a frame; its value is decoded when asked for. */
export interface EncodedRecord {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  decode(): JournalRecord;
}

export function* recordsOf(payload: Buffer): Generator<EncodedRecord> {
  for (let at = 0; at < payload.length; ) {
    const keyEnd = at + recordHead + payload.readUInt32BE(at + 7);
    const end = keyEnd + payload.readUInt32BE(at + 11);
    const isDelete = payload[at] === 1;
    const revision = payload.readUIntBE(at + 1, 6);
    const key = payload.toString('utf8', at + recordHead, keyEnd);
    const decode = (): JournalRecord =>
      isDelete ? { key, revision } : { key, revision, json: payload.toString('utf8', keyEnd, end) };
    yield { key, revision, bytes: payload.subarray(at, end), decode };
    at = end;
  }
}
