import { type Random, seededRandom } from '@tektite/meta';

type Word = string | number;

/**
 * A number for a seed and some words (FNV-1a with a final mix). What is decided by it depends on nothing that was decided before, so
 * that leaving out one fault of a run does not change when the others strike.
 */
export function derivedSeed(seed: number, ...words: readonly Word[]): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const word of words) {
    const text = `${word}\0`;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) for a seed and some words. */
export function derivedNumber(seed: number, ...words: readonly Word[]): number {
  return derivedSeed(seed, ...words) / 2 ** 32;
}

/** The randomness of one part of a simulation. */
export function derivedRandom(seed: number, ...words: readonly Word[]): Random {
  return seededRandom(derivedSeed(seed, ...words));
}
