import type { Random } from '@tektite/meta';

/** Words that parsers are known to fall over. */
const spices = [
  '',
  '\0',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '/',
  '//',
  '..',
  '%',
  '%00',
  '%2f',
  '?',
  '#',
  '&',
  '*',
  '{',
  '}',
  '[',
  ']',
  '{{',
  '$(',
  '<<',
  '&a',
  '*a',
  '!!',
  '---',
  '...',
  ': ',
  '- ',
  '|',
  '>',
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  '0x',
  '0777',
  'null',
  'true',
  'NaN',
  '.inf',
  '~',
  '__proto__',
  'constructor',
  'toString',
  '\u2028',
  '\uFEFF',
  '\uD800',
  'ß',
  '𝄞',
  '\u202E',
].map((text) => Buffer.from(text));

/**
 * Makes hostile inputs out of good ones: bytes flipped, cut, repeated and moved, pieces of other inputs put in, words that
 * parsers are known to fall over. A seed gives the same inputs again.
 */
export class Mutator {
  private readonly random: Random;
  private readonly corpus: readonly Buffer[];

  constructor(random: Random, corpus: readonly (string | Uint8Array)[]) {
    this.random = random;
    this.corpus = corpus.map((input) => Buffer.from(input as Uint8Array));
  }

  next(): Buffer {
    let input = this.pick(this.corpus);
    for (let count = this.upTo(6); count >= 0; count--) input = this.mutate(input);
    return input.subarray(0, maxLength);
  }

  text(): string {
    return this.next().toString('utf8');
  }

  private mutate(input: Buffer): Buffer {
    const at = this.upTo(input.length + 1);
    const end = Math.min(input.length, at + 1 + this.upTo(16));
    switch (this.upTo(8)) {
      case 0: {
        const copy = Buffer.from(input);
        if (copy.length > 0) copy[at % copy.length] = this.upTo(256);
        return copy;
      }
      case 1:
        return Buffer.concat([input.subarray(0, at), input.subarray(end)]);
      case 2:
        return Buffer.concat([input.subarray(0, at), ...this.repeat(input.subarray(at, end)), input.subarray(at)]);
      case 3:
        return Buffer.concat([input.subarray(0, at), this.pick(spices), input.subarray(at)]);
      case 4:
        return Buffer.concat([input.subarray(0, at), this.pick(spices), input.subarray(end)]);
      case 5: {
        const other = this.pick(this.corpus);
        const from = this.upTo(other.length);
        return Buffer.concat([input.subarray(0, at), other.subarray(from, from + this.upTo(64)), input.subarray(at)]);
      }
      case 6:
        return input.subarray(0, at);
      default:
        return Buffer.concat([input.subarray(at), input.subarray(0, at)]);
    }
  }

  private repeat(piece: Buffer): Buffer[] {
    return Array.from({ length: this.upTo(5) === 0 ? 1000 : 1 + this.upTo(4) }, () => piece);
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.upTo(from.length)] as T;
  }

  private upTo(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }
}

const maxLength = 64 * 1024;
