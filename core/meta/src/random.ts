import { getRandomValues } from 'node:crypto';

/** Chance, passed in, so that a test can repeat it from a seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `length` random bytes. */
  bytes(length: number): Uint8Array;
}

/** Random bytes fetched ahead: asking the system for a few at a time costs more than the bytes. */
let pool = new Uint8Array(0);
let used = 0;
const poolSize = 4096;

function take(length: number): Uint8Array {
  if (length > poolSize) return getRandomValues(new Uint8Array(length));
  if (used + length > pool.length) {
    pool = getRandomValues(new Uint8Array(poolSize));
    used = 0;
  }
  const bytes = pool.slice(used, used + length);
  // Handed-out bytes are not kept.
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** The machine's own randomness; good enough for secrets. */
export const systemRandom: Random = {
  next() {
    const [a = 0, b = 0, c = 0, d = 0] = take(4);
    return (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32;
  },
  bytes: take,
};

/** A repeatable sequence (mulberry32). For tests and simulations, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  return {
    next: () => word() / 2 ** 32,
    bytes: (length) => Uint8Array.from({ length }, () => word() & 0xff),
  };
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A random (version 4) UUID. */
export function randomUid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  let text = '';
  for (let i = 0; i < 16; i++) text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex[bytes[i] ?? 0];
  return text;
}
