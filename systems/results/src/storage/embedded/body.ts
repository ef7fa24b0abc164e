import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { dictionary } from './dictionary.ts';

/** The first byte says how the rest is compressed, so that another dictionary can come without a migration. */
const withDictionary = 1;
/** A body that inflates to more is damaged: no request can have brought it. */
const maxBytes = 64 * 1024 * 1024;

export function compressBody(data: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(withDictionary), deflateRawSync(data, { level: 6, dictionary })]);
}

export function expandBody(body: Uint8Array): Buffer {
  if (body[0] !== withDictionary) throw new Error(`a record is compressed in an unknown way (${body[0]})`);
  return inflateRawSync(body.subarray(1), { dictionary, maxOutputLength: maxBytes });
}
