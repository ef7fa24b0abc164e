import { type JsonPathNode, JsonPathSyntaxError, type SliceBound } from './json-path-node.ts';

const terminators = new Set(' \t\r\n.,[]$@{}');
const isLetter = (character: string): boolean => /[\p{L}\p{Nd}_]/u.test(character);
const quotedKey = /^'([^']*)'$/;
const sliceText = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/;

/**
 * Parses the inside of `{…}` as client-go does, with its messages.
 *
 * @example parseJsonPath('.status.conditions[?(@.type=="Ready")].status')
 */
export function parseJsonPath(text: string): readonly JsonPathNode[] {
  return new Parser(text).parse();
}

class Parser {
  private readonly text: string;
  private at = 0;
  private readonly nodes: JsonPathNode[] = [];

  constructor(text: string) {
    this.text = text;
  }

  parse(): readonly JsonPathNode[] {
    while (this.at < this.text.length) {
      if (this.text.startsWith('[?(', this.at)) this.filter();
      else if (this.text.startsWith('..', this.at)) this.descendants();
      else this.step();
    }
    return this.nodes;
  }

  private step(): void {
    const character = this.peek();
    if (character === '\r' || character === '\n') throw new JsonPathSyntaxError('unclosed action');
    if (character === '[') this.brackets();
    else if (character === '"' || character === "'") this.quoted(character);
    else if (/[+\-\p{Nd}]/u.test(character)) this.number();
    else if (isLetter(character)) this.identifier();
    else {
      this.at += character.length;
      if (character === '.') this.field();
      else if (![' ', '@', '$'].includes(character))
        throw new JsonPathSyntaxError(`unrecognized character in action: ${unicodeName(character)}`);
    }
  }

  private peek(): string {
    return String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
  }

  /** A name up to a terminator; a backslash protects what follows it. */
  private field(): void {
    const start = this.at;
    while (this.at < this.text.length && !terminators.has(this.text[this.at] as string))
      this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at = Math.min(this.at, this.text.length);
    const name = this.text.slice(start, this.at);
    this.nodes.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  }

  private identifier(): void {
    const start = this.at;
    while (this.at < this.text.length && !terminators.has(this.text[this.at] as string)) this.at++;
    const name = this.text.slice(start, this.at);
    const isBool = name === 'true' || name === 'false';
    this.nodes.push(isBool ? { kind: 'literal', value: name === 'true' } : { kind: 'identifier', name });
  }

  private number(): void {
    const [text = ''] = /^[+-]?[\d.]*/.exec(this.text.slice(this.at)) ?? [];
    this.at += text.length;
    if (/^[+-]?\d+$/.test(text)) this.nodes.push({ kind: 'literal', value: BigInt(text.replace('+', '')) });
    else if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) this.nodes.push({ kind: 'literal', value: Number(text) });
    else throw new JsonPathSyntaxError(`cannot parse number ${text}`);
  }

  private descendants(): void {
    if (this.nodes.at(-1)?.kind === 'descendants') throw new JsonPathSyntaxError('invalid multiple recursive descent');
    this.at += 2;
    this.nodes.push({ kind: 'descendants' });
    if (this.at < this.text.length && isLetter(this.peek())) this.field();
  }

  private quoted(quote: string): void {
    const start = this.at;
    for (this.at++; ; this.at++) {
      const character = this.text[this.at];
      if (character === undefined || character === '\n') throw new JsonPathSyntaxError('unterminated quoted string');
      if (character === quote && this.text[this.at - 1] !== '\\') break;
    }
    this.at++;
    const literal = this.text.slice(start, this.at);
    this.nodes.push({ kind: 'text', text: unquote(literal) });
  }

  private brackets(): void {
    const end = this.text.indexOf(']', this.at);
    const inside = end < 0 ? undefined : this.text.slice(this.at + 1, end);
    if (inside === undefined || inside.includes('\n')) throw new JsonPathSyntaxError('unterminated array');
    this.at = end + 1;
    this.nodes.push(...parseBrackets(inside === '*' ? ':' : inside));
  }

  private filter(): void {
    const start = this.at + '[?('.length;
    let quote: string | undefined;
    let isClosed = false;
    for (this.at = start; ; this.at++) {
      const character = this.text[this.at];
      if (character === undefined || character === '\n') throw new JsonPathSyntaxError('unterminated filter');
      if (character === '"' || character === "'") {
        if (quote === undefined) quote = character;
        else if (character === quote && this.text[this.at - 1] !== '\\') isClosed = true;
      } else if (character === ')' && (quote === undefined) === !isClosed) break;
    }
    if (this.text[this.at + 1] !== ']') throw new JsonPathSyntaxError('unclosed array expect ]');
    const text = this.text.slice(start, this.at);
    this.at += ')]'.length;
    const [, left, operator = 'exists', right = ''] = comparison.exec(text) ?? [];
    this.nodes.push({
      kind: 'filter',
      left: parseJsonPath(left ?? text),
      operator,
      right: parseJsonPath(right),
    });
  }
}

function parseBrackets(text: string): readonly JsonPathNode[] {
  const parts = text.split(',');
  if (parts.length > 1)
    return [{ kind: 'union', paths: parts.map((part) => parseJsonPath(`[${part.replaceAll(/^ +| +$/g, '')}]`)) }];
  const key = quotedKey.exec(text)?.[1];
  if (key !== undefined) return parseJsonPath(`.${key}`);
  const match = sliceText.exec(text);
  if (!match) throw new JsonPathSyntaxError(`invalid array index ${text}`);
  const [, start = '', end, step] = match;
  const first = start === '' ? unknownBound : boundOf(start);
  const last = end === undefined ? { value: first.value + 1, isKnown: true, isDerived: true } : boundOf(end.slice(1));
  return [{ kind: 'slice', bounds: [first, last, step === undefined ? unknownBound : boundOf(step.slice(1))] }];
}

const unknownBound: SliceBound = { value: 0, isKnown: false, isDerived: false };

function boundOf(text: string): SliceBound {
  if (text === '') return unknownBound;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new JsonPathSyntaxError(`array index ${text} is not a number`);
  return { value, isKnown: true, isDerived: false };
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** The text inside quotes, with Go's escapes. */
function unquote(literal: string): string {
  const quote = literal[0] as string;
  const inside = literal.slice(1, -1);
  const bad = () => new JsonPathSyntaxError(`unquote string ${literal} error invalid syntax`);
  return inside.replaceAll(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]?))/g,
    (_, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      if (letter === quote) return quote;
      const plain = Object.hasOwn(escapes, letter ?? '') ? escapes[letter ?? ''] : undefined;
      if (plain === undefined) throw bad();
      return plain;
    },
  );
}

/** Go's `%#U`. */
function unicodeName(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} '${character}'`;
}
