/** A 64-bit FNV-1a hash in progress: two halves, since JavaScript multiplies 32 bits at best. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** The hash of nothing. */
export const emptyHash: Hash64 = { high: 0xcbf29ce4, low: 0x84222325 };

/** The prime is 2^40 + 0x1b3. */
const primeLow = 0x1b3;
const two32 = 2 ** 32;

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Goes on hashing: `hash(hash(a), b)` is the hash of `a` followed by `b`. */
export function hash({ high, low }: Hash64, bytes: Uint8Array): Hash64 {
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    // Both products stay below 2^53, so they are exact.
    const product = low * primeLow;
    high = (high * primeLow + Math.floor(product / two32) + low * 256) % two32;
    low = product % two32;
  }
  return { high, low };
}

/** As Go prints a uint64 in base 16: no leading zeros. */
export function hexOf({ high, low }: Hash64): string {
  return high === 0 ? low.toString(16) : high.toString(16) + low.toString(16).padStart(8, '0');
}
