import type { Issue, Source } from './source.ts';

/** The tokens of CEL in the order in which messages list them. */
export const tokenNames = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
  '<EOF>',
] as const;

export type TokenName = (typeof tokenNames)[number];

export interface Token {
  readonly name: TokenName;
  readonly text: string;
  /** Offset in code points. */
  readonly at: number;
}

const keywords = new Map<string, TokenName>([
  ['in', "'in'"],
  ['true', "'true'"],
  ['false', "'false'"],
  ['null', "'null'"],
]);
const symbols = new Map<string, TokenName>(
  [
    '==',
    '!=',
    '<=',
    '>=',
    '&&',
    '||',
    '<',
    '>',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '.',
    ',',
    '-',
    '!',
    '?',
    ':',
    '+',
    '*',
    '/',
    '%',
  ].map((symbol) => [symbol, `'${symbol}'` as TokenName]),
);

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';
const isHex = (char: string | undefined): boolean => char !== undefined && /^[0-9a-fA-F]$/.test(char);
const isLetter = (char: string | undefined): boolean => char !== undefined && /^[A-Za-z_]$/.test(char);

/** Cuts an expression into tokens. What is no token is skipped and reported. */
export class Lexer {
  private readonly characters: readonly string[];
  private at = 0;
  readonly issues: Issue[] = [];

  constructor(source: Source) {
    this.characters = source.characters;
  }

  tokens(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      this.skipBlanks();
      if (this.at >= this.characters.length) {
        tokens.push({ name: '<EOF>', text: '<EOF>', at: this.characters.length });
        return tokens;
      }
      const start = this.at;
      const name = this.scan();
      if (name) tokens.push({ name, text: this.text(start), at: start });
      else this.reject(start);
    }
  }

  private text(start: number): string {
    return this.characters.slice(start, this.at).join('');
  }

  /** Skips the inspected characters, and always at least one. */
  private reject(start: number): void {
    this.at = Math.min(Math.max(this.at, start + 1), this.characters.length);
    this.issues.push({
      at: start,
      message: `Syntax error: token recognition error at: '${escapeText(this.text(start))}'`,
    });
  }

  private peek(offset = 0): string | undefined {
    return this.characters[this.at + offset];
  }

  private skipBlanks(): void {
    for (;;) {
      const char = this.peek();
      if (char !== undefined && /^[\t \r\n\f]$/.test(char)) this.at++;
      else if (char === '/' && this.peek(1) === '/')
        while (this.at < this.characters.length && this.peek() !== '\n') this.at++;
      else return;
    }
  }

  private scan(): TokenName | undefined {
    const char = this.peek() as string;
    if (isDigit(char) || (char === '.' && isDigit(this.peek(1)))) return this.number();
    const prefix = /^[bB]?[rR]?$/.test(char) ? this.stringPrefix() : '';
    const quote = this.peek(prefix.length);
    if (quote === '"' || quote === "'") return this.string(prefix, quote);
    if (isLetter(char)) return this.word();
    if (char === '`') return this.escapedIdentifier();
    return this.symbol();
  }

  private stringPrefix(): string {
    const two = `${this.peek()}${this.peek(1) ?? ''}`;
    if (/^[bB][rR]$/.test(two)) return two;
    return /^[bBrR]/.test(two) ? (two[0] as string) : '';
  }

  private word(): TokenName {
    const start = this.at;
    while (isLetter(this.peek()) || isDigit(this.peek())) this.at++;
    return keywords.get(this.text(start)) ?? 'IDENTIFIER';
  }

  private escapedIdentifier(): TokenName | undefined {
    this.at++;
    const start = this.at;
    while (this.peek() !== undefined && /^[A-Za-z0-9_./ -]$/.test(this.peek() as string)) this.at++;
    const closed = this.at > start && this.peek() === '`';
    if (this.at < this.characters.length) this.at++;
    return closed ? 'ESC_IDENTIFIER' : undefined;
  }

  private symbol(): TokenName | undefined {
    const two = `${this.peek()}${this.peek(1) ?? ''}`;
    const name = symbols.get(two) ?? symbols.get(two[0] as string);
    if (name) {
      this.at += name.length - 2;
      return name;
    }
    // Half of an operator: the missing character is part of the error.
    this.at += two[0] === '=' || two[0] === '&' || two[0] === '|' ? 2 : 1;
    return undefined;
  }

  private number(): TokenName {
    if (this.peek() === '0' && this.peek(1) === 'x' && isHex(this.peek(2))) {
      this.at += 2;
      while (isHex(this.peek())) this.at++;
      return this.unsigned();
    }
    let name: TokenName = 'NUM_INT';
    this.digits();
    if (this.peek() === '.' && isDigit(this.peek(1))) {
      this.at++;
      this.digits();
      name = 'NUM_FLOAT';
    }
    const sign = this.peek(1) === '+' || this.peek(1) === '-' ? 1 : 0;
    if ((this.peek() === 'e' || this.peek() === 'E') && isDigit(this.peek(1 + sign))) {
      this.at += 1 + sign;
      this.digits();
      name = 'NUM_FLOAT';
    }
    return name === 'NUM_INT' ? this.unsigned() : name;
  }

  private digits(): void {
    while (isDigit(this.peek())) this.at++;
  }

  private unsigned(): TokenName {
    if (this.peek() !== 'u' && this.peek() !== 'U') return 'NUM_INT';
    this.at++;
    return 'NUM_UINT';
  }

  private string(prefix: string, quote: string): TokenName | undefined {
    this.at += prefix.length;
    const long = this.peek(1) === quote && this.peek(2) === quote;
    const raw = /[rR]/.test(prefix);
    this.at += long ? 3 : 1;
    while (this.at < this.characters.length) {
      const char = this.peek();
      if (char === '\\' && !raw) {
        if (!this.escape()) return undefined;
      } else if (!long && (char === '\n' || char === '\r')) {
        this.at++;
        return undefined;
      } else if (char === quote && (!long || (this.peek(1) === quote && this.peek(2) === quote))) {
        this.at += long ? 3 : 1;
        return /[bB]/.test(prefix) ? 'BYTES' : 'STRING';
      } else this.at++;
    }
    this.at = this.characters.length;
    return undefined;
  }

  /** Skips an escape; a wrong one is skipped up to the character that makes it wrong. */
  private escape(): boolean {
    this.at++;
    const char = this.characters[this.at++] ?? '';
    if (/^[abfnrtv"'\\?`]$/.test(char)) return true;
    const digits =
      char === 'x' || char === 'X' ? 2 : char === 'u' ? 4 : char === 'U' ? 8 : /^[0-3]$/.test(char) ? 2 : 0;
    const fits = /^[0-3]$/.test(char) ? isOctal : isHex;
    for (let i = 0; i < digits; i++) if (!fits(this.characters[this.at++])) return false;
    return digits > 0;
  }
}

const isOctal = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '7';

function escapeText(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
}
