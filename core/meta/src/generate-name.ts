import type { Random } from './random.ts';

/** No vowels and no digits that look like letters, so that no words come out. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const suffixLength = 5;
const maxPrefixLength = 63 - suffixLength;

/** `length` characters that are safe inside any name. */
export function randomSuffix(random: Random, length: number = suffixLength): string {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[Math.floor(random.next() * alphabet.length)];
  return text;
}

/**
 * The name the server gives to an object with `metadata.generateName`.
 *
 * @example
 * generateName('build-', systemRandom) // build-x7k2p
 */
export function generateName(prefix: string, random: Random): string {
  return `${prefix.slice(0, maxPrefixLength)}${randomSuffix(random)}`;
}
