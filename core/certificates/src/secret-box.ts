import { timingSafeEqual } from 'node:crypto';

/** `expand 32-byte k`, as four words. */
const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
const tagLength = 16;

/**
 * Opens a box of NaCl's `secretbox` (XSalsa20 and Poly1305), in which cosign keeps private keys; Node's OpenSSL does not know it.
 * `undefined` if the key is not the one that it was closed with.
 */
export function openSecretBox(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (key.length !== 32 || nonce.length !== 24 || box.length < tagLength) return undefined;
  const [tag, sealed] = [box.subarray(0, tagLength), box.subarray(tagLength)];
  const stream = keyStream(sealed.length + 32, nonce.subarray(16), hsalsa20(key, nonce.subarray(0, 16)));
  if (!timingSafeEqual(poly1305(sealed, stream.subarray(0, 32)), tag)) return undefined;
  return Buffer.from(sealed.map((byte, index) => byte ^ (stream[index + 32] as number)));
}

/** Closes a box: what {@link openSecretBox} opens. A nonce is used once. */
export function sealSecretBox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Buffer {
  if (key.length !== 32 || nonce.length !== 24)
    throw new Error('a secret box needs a key of 32 bytes and a nonce of 24');
  const stream = keyStream(message.length + 32, nonce.subarray(16), hsalsa20(key, nonce.subarray(0, 16)));
  const sealed = Buffer.from(message.map((byte, index) => byte ^ (stream[index + 32] as number)));
  return Buffer.concat([poly1305(sealed, stream.subarray(0, 32)), sealed]);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true));
}

function bytesOf(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => view.setUint32(index * 4, word >>> 0, true));
  return bytes;
}

/** The state of Salsa20: constants on the diagonal, the key around them, sixteen bytes of input in the middle. */
function stateOf(key: Uint8Array, input: Uint8Array): Uint32Array {
  const [k, n] = [wordsOf(key), wordsOf(input)];
  const [s0, s1, s2, s3] = sigma;
  return Uint32Array.from([s0, ...k.subarray(0, 4), s1, ...n, s2, ...k.subarray(4), s3]);
}

/** Which words each quarter of a double round mixes: first the columns, then the rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));

function mixed(state: Uint32Array): Uint32Array {
  const x = Uint32Array.from(state);
  const at = (index: number) => x[index] as number;
  for (let round = 0; round < 10; round++)
    for (const [a, b, c, d] of quarters) {
      x[b] = at(b) ^ rotate(at(a) + at(d), 7);
      x[c] = at(c) ^ rotate(at(b) + at(a), 9);
      x[d] = at(d) ^ rotate(at(c) + at(b), 13);
      x[a] = at(a) ^ rotate(at(d) + at(c), 18);
    }
  return x;
}

/** A key for Salsa20 from a key and the first part of a long nonce. */
function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const x = mixed(stateOf(key, input));
  return bytesOf([0, 5, 10, 15, 6, 7, 8, 9].map((index) => x[index] as number));
}

function keyStream(length: number, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const stream = new Uint8Array(Math.ceil(length / 64) * 64);
  for (let block = 0; block * 64 < length; block++) {
    const counter = bytesOf([block, 0]);
    const state = stateOf(key, Buffer.concat([nonce, counter]));
    const x = mixed(state);
    stream.set(bytesOf(Array.from(x, (word, index) => word + (state[index] as number))), block * 64);
  }
  return stream;
}

const prime = (1n << 130n) - 5n;
const littleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);

function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const r = littleEndian(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let from = 0; from < message.length; from += 16) {
    const block = message.subarray(from, from + 16);
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * r) % prime;
  }
  const tag = (sum + littleEndian(key.subarray(16))) & ((1n << 128n) - 1n);
  return Buffer.from(tag.toString(16).padStart(32, '0'), 'hex').reverse();
}
