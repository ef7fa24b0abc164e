import { quoteGo } from '@tektite/meta';

/** The open containers of the scanner, outermost first. */
type Frame = 'object' | 'array';

/** The result of a step of the scanner: nothing special, {@link moreFollows}, or an error. */
type Outcome = string | undefined;

/** Another value must follow. */
const moreFollows = 'value';

const endOfInput = 'unexpected end of JSON input';

/**
 * Says what is wrong with a text that is no JSON, in the words of Go's scanner, which stops at the first byte that cannot
 * continue a valid text. Only for texts that failed to parse: it is slow, and finds nothing wrong in a good one.
 */
export function jsonSyntaxError(bytes: Uint8Array): string {
  return new Scanner(bytes).run() ?? endOfInput;
}

class Scanner {
  private readonly bytes: Uint8Array;
  private readonly frames: Frame[] = [];
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The error; undefined when the text ends where more was expected. */
  run(): string | undefined {
    for (;;) {
      const outcome = this.value() ?? this.afterValue();
      if (outcome === moreFollows) continue;
      return outcome === endOfInput ? undefined : outcome;
    }
  }

  /** Reads one value; of an object or a list that has content, only up to its first value. Not recursive: input may be deep. */
  private value(): Outcome {
    this.skipSpace();
    const char = this.peek();
    if (char === undefined) return endOfInput;
    if (char === '{') return this.beginObject();
    if (char === '[') {
      this.at++;
      this.skipSpace();
      if (this.peek() === ']') {
        this.at++;
        return undefined;
      }
      this.frames.push('array');
      return moreFollows;
    }
    if (char === '"') return this.string();
    if (char === '-' || isDigit(char)) return this.number();
    if (char === 't') return this.literal('true');
    if (char === 'f') return this.literal('false');
    if (char === 'n') return this.literal('null');
    return this.invalid('looking for beginning of value');
  }

  private beginObject(): Outcome {
    this.at++;
    this.skipSpace();
    if (this.peek() === '}') {
      this.at++;
      return undefined;
    }
    this.frames.push('object');
    return this.key() ?? moreFollows;
  }

  /** A key and its colon. */
  private key(): string | undefined {
    this.skipSpace();
    const char = this.peek();
    if (char === undefined) return endOfInput;
    if (char !== '"') return this.invalid('looking for beginning of object key string');
    const error = this.string();
    if (error !== undefined) return error;
    this.skipSpace();
    if (this.peek() === undefined) return endOfInput;
    if (this.peek() !== ':') return this.invalid('after object key');
    this.at++;
    return undefined;
  }

  /** Scans the text after a complete value. */
  private afterValue(): Outcome {
    for (;;) {
      this.skipSpace();
      const char = this.peek();
      const frame = this.frames.at(-1);
      if (char === undefined) return undefined;
      if (frame === undefined) return this.invalid('after top-level value');
      const close = frame === 'array' ? ']' : '}';
      if (char === close) {
        this.at++;
        this.frames.pop();
        continue;
      }
      if (char !== ',') return this.invalid(frame === 'array' ? 'after array element' : 'after object key:value pair');
      this.at++;
      if (frame === 'array') return moreFollows;
      return this.key() ?? moreFollows;
    }
  }

  private string(): string | undefined {
    for (this.at++; ; this.at++) {
      const char = this.peek();
      if (char === undefined) return endOfInput;
      if (char === '"') {
        this.at++;
        return undefined;
      }
      if (char < ' ') return this.invalid('in string literal');
      if (char !== '\\') continue;
      this.at++;
      const escaped = this.peek();
      if (escaped === undefined) return endOfInput;
      if (!'bfnrt\\/"u'.includes(escaped)) return this.invalid('in string escape code');
      for (let digits = escaped === 'u' ? 4 : 0; digits > 0; digits--) {
        this.at++;
        const digit = this.peek();
        if (digit === undefined) return endOfInput;
        if (!/[0-9a-fA-F]/.test(digit)) return this.invalid('in \\u hexadecimal character escape');
      }
    }
  }

  private number(): string | undefined {
    if (this.peek() === '-') this.at++;
    if (this.peek() === '0') this.at++;
    else {
      const error = this.digits('in numeric literal');
      if (error !== undefined) return error;
    }
    if (this.peek() === '.') {
      this.at++;
      const error = this.digits('after decimal point in numeric literal');
      if (error !== undefined) return error;
    }
    if (this.peek() !== 'e' && this.peek() !== 'E') return undefined;
    this.at++;
    if (this.peek() === '+' || this.peek() === '-') this.at++;
    return this.digits('in exponent of numeric literal');
  }

  /** One digit at least. */
  private digits(context: string): string | undefined {
    const char = this.peek();
    if (char === undefined) return endOfInput;
    if (!isDigit(char)) return this.invalid(context);
    while (isDigit(this.peek())) this.at++;
    return undefined;
  }

  private literal(word: string): string | undefined {
    this.at++;
    for (const expected of word.slice(1)) {
      const char = this.peek();
      if (char === undefined) return endOfInput;
      if (char !== expected) return this.invalid(`in literal ${word} (expecting '${expected}')`);
      this.at++;
    }
    return undefined;
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.peek() ?? 'x')) this.at++;
  }

  /** The current byte as a separate character, which is how Go's scanner sees UTF-8. */
  private peek(): string | undefined {
    const byte = this.bytes[this.at];
    return byte === undefined ? undefined : String.fromCharCode(byte);
  }

  private invalid(context: string): string {
    return `invalid character ${quoteByte(this.bytes[this.at] as number)} ${context}`;
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  if ((byte >= 0x80 && byte <= 0xa0) || byte === 0xad) return `'\\u00${byte.toString(16)}'`;
  return `'${quoteGo(String.fromCharCode(byte)).slice(1, -1)}'`;
}
