import { resolveScalar } from './resolve-scalar.ts';

/** Thrown for whatever is not as plain as this reader knows; the real parser has the word then. */
class NotPlain extends Error {}

/** A document that was read. */
export interface PlainDocument {
  readonly value: unknown;
  /** The line of its first content, from 1. */
  readonly line: number;
}

interface Line {
  indent: number;
  text: string;
}

const maxDepth = 100;
/** Keys that need no thought: no words that are booleans, no numbers, nothing special to JavaScript. */
const plainKey = /^([A-Za-z_./$-][\w./$@~+-]*)[ ]*:(?:[ ]+(.*))?$/;
const quotedKey = /^(?:"([^"\\]*)"|'([^']*)')[ ]*:(?:[ ]+(.*))?$/;
const simpleDouble = /^"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"$/;
const simpleSingle = /^'(?:[^']|'')*'$/;
const specialStart = /^[[\]{},#&*!|>'"%@`?]/;

/**
 * Reads one document of the YAML that tools write and people mostly do: block mappings and sequences, scalars, `|`
 * blocks, lists of words in brackets. About twenty times as fast as a parser that keeps track of every node. Returns
 * undefined for all else, errors included: it never guesses.
 */
export function readPlainDocument(lines: readonly string[], from: number, to: number): PlainDocument | undefined {
  try {
    return new PlainReader(lines, from, to).read();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class PlainReader {
  private readonly lines: readonly string[];
  private readonly end: number;
  private at: number;
  /** The line at `at`, of which a part may be read already. */
  private current: Line | undefined;
  private depth = 0;

  constructor(lines: readonly string[], from: number, to: number) {
    this.lines = lines;
    this.at = from;
    this.end = to;
  }

  read(): PlainDocument {
    const first = this.peek();
    if (!first) throw new NotPlain();
    const line = this.at + 1;
    const value = this.node(first);
    if (this.peek()) throw new NotPlain();
    return { value, line };
  }

  /** The next line with content. */
  private peek(): Line | undefined {
    if (this.current) return this.current;
    for (; this.at < this.end; this.at++) {
      const raw = this.lines[this.at] as string;
      const indent = indentOf(raw);
      if (indent === raw.length || raw[indent] === '#') continue;
      if (raw[indent] === '\t') throw new NotPlain();
      return (this.current = { indent, text: raw.slice(indent).trimEnd() });
    }
    return undefined;
  }

  private next(): void {
    this.current = undefined;
    this.at++;
  }

  private node(line: Line): unknown {
    if (++this.depth > maxDepth) throw new NotPlain();
    const value = isItem(line.text) ? this.sequence(line.indent) : this.mapping(line.indent);
    this.depth--;
    return value;
  }

  private sequence(indent: number): unknown[] {
    const result: unknown[] = [];
    for (let line = this.peek(); line && line.indent === indent && isItem(line.text); line = this.peek()) {
      const rest = line.text.slice(1).trimStart();
      if (rest === '' || rest.startsWith('#')) {
        this.next();
        const below = this.peek();
        result.push(below && below.indent > indent ? this.node(below) : null);
      } else if (isItem(rest) || plainKey.test(rest) || quotedKey.test(rest)) {
        line.indent = indent + line.text.length - rest.length;
        line.text = rest;
        result.push(this.node(line));
      } else result.push(this.scalar(rest, indent));
    }
    const after = this.peek();
    if (after && after.indent > indent) throw new NotPlain();
    return result;
  }

  private mapping(indent: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (let line = this.peek(); line && line.indent === indent && !isItem(line.text); line = this.peek()) {
      const [key, rest] = splitEntry(line.text);
      if (Object.hasOwn(result, key)) throw new NotPlain();
      if (rest === '' || rest.startsWith('#')) {
        this.next();
        result[key] = this.below(indent);
      } else result[key] = this.scalar(rest, indent);
    }
    const after = this.peek();
    if (after && after.indent > indent) throw new NotPlain();
    return result;
  }

  /** Reads the value under a key: a list may begin in the column of its key. */
  private below(indent: number): unknown {
    const line = this.peek();
    if (!line || line.indent < indent || (line.indent === indent && !isItem(line.text))) return null;
    return this.node(line);
  }

  /** The scalar that begins on this line. */
  private scalar(text: string, indent: number): unknown {
    switch (text[0]) {
      case '|':
        return this.literal(text, indent);
      case '"':
        this.single(indent);
        if (!simpleDouble.test(text)) throw new NotPlain();
        return JSON.parse(text) as string;
      case "'":
        this.single(indent);
        if (!simpleSingle.test(text)) throw new NotPlain();
        return text.slice(1, -1).replaceAll("''", "'");
      case '[':
        this.single(indent);
        return words(text);
      case '{':
        this.single(indent);
        return pairs(text);
      default:
        return this.plain(text, indent);
    }
  }

  /** Nothing of the scalar may be on the next line. */
  private single(indent: number): void {
    this.next();
    const after = this.peek();
    if (after && after.indent > indent) throw new NotPlain();
  }

  private plain(text: string, indent: number): unknown {
    checkPlain(text);
    this.next();
    let whole = withoutComment(text);
    const isWhole = whole === text;
    let more = this.continuation(indent);
    // A comment ends a scalar; text after it is an error.
    if (more !== undefined && !isWhole) throw new NotPlain();
    for (; more !== undefined; more = this.continuation(indent)) {
      checkPlain(more, true);
      whole += ` ${more}`;
    }
    return typed(whole);
  }

  /** The next line of a scalar of several lines. */
  private continuation(indent: number): string | undefined {
    const raw = this.at < this.end ? (this.lines[this.at] as string) : '';
    if (raw.trim() === '') {
      // An empty line within a scalar is a line end; too rare to bother.
      const after = this.peek();
      if (after && after.indent > indent) throw new NotPlain();
      return undefined;
    }
    const line = this.peek();
    if (!line || line.indent <= indent) return undefined;
    if (raw.trimStart() !== line.text && raw.trim() !== line.text) throw new NotPlain();
    if (isItem(line.text) || line.text.includes(' #')) throw new NotPlain();
    this.next();
    return line.text;
  }

  private literal(head: string, parent: number): string {
    if (head !== '|' && head !== '|-') throw new NotPlain();
    this.next();
    const rows: string[] = [];
    let indent = -1;
    for (; this.at < this.end; this.at++) {
      const raw = this.lines[this.at] as string;
      const own = indentOf(raw);
      if (own === raw.length) {
        if (indent < 0 && own > 0) throw new NotPlain();
        rows.push(indent >= 0 && own > indent ? raw.slice(indent) : '');
        continue;
      }
      if (indent < 0) {
        if (own <= parent || raw[own] === '\t') throw new NotPlain();
        indent = own;
      }
      if (own < indent) {
        // An indentation between those of the parent and of the block is an error, unless it is a comment.
        if (own > parent) throw new NotPlain();
        break;
      }
      rows.push(raw.slice(indent));
    }
    if (indent < 0) throw new NotPlain();
    while (rows.length > 0 && (rows.at(-1) as string).trim() === '') {
      if (rows.at(-1) !== '') throw new NotPlain();
      rows.pop();
    }
    return head === '|' ? `${rows.join('\n')}\n` : rows.join('\n');
  }
}

function indentOf(raw: string): number {
  let indent = 0;
  while (raw.charCodeAt(indent) === 32) indent++;
  return indent;
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

function splitEntry(text: string): readonly [key: string, rest: string] {
  const plain = plainKey.exec(text);
  if (plain) {
    const key = plain[1] as string;
    // Keys that mean something else than their text, and the one that means something to JavaScript.
    if (key === '__proto__' || key.startsWith('-') || typeof resolveScalar(key) !== 'string') throw new NotPlain();
    return [key, plain[2] ?? ''];
  }
  const quoted = quotedKey.exec(text);
  const key = quoted?.[1] ?? quoted?.[2];
  if (!quoted || key === undefined || key === '__proto__') throw new NotPlain();
  return [key, quoted[3] ?? ''];
}

function checkPlain(text: string, isContinued = false): void {
  if (!isContinued && specialStart.test(text)) throw new NotPlain();
  if (isContinued && text.startsWith('#')) throw new NotPlain();
  if (text.includes(': ') || text.endsWith(':') || text.includes('\t')) throw new NotPlain();
  if (!isContinued && /^[-?:](?:\s|$)/.test(text)) throw new NotPlain();
}

function withoutComment(text: string): string {
  const at = text.indexOf(' #');
  return at < 0 ? text : text.slice(0, at).trimEnd();
}

function typed(text: string): unknown {
  // Numbers are rare, and some of them cannot be kept: the real parser says so in its own words.
  const first = text.charCodeAt(0);
  const isNumberLike = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (isNumberLike && (text.length > 15 || text.startsWith('.') || /inf|nan/i.test(text))) {
    if (/^[-+.0-9_xXoObBeEa-fA-FinfINFAN]+$/.test(text)) throw new NotPlain();
  }
  return resolveScalar(text);
}

/** `[a, "b", 'c']`, and nothing deeper. */
function words(text: string): unknown[] {
  if (text === '[]') return [];
  const inner = /^\[([^[\]{}]*)\]$/.exec(text)?.[1];
  if (inner === undefined) throw new NotPlain();
  return inner.split(',').map((part) => flowWord(part.trim()));
}

/** `{a: b, c: "d"}`, and nothing deeper. */
function pairs(text: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (text === '{}') return result;
  const inner = /^\{([^[\]{}]*)\}$/.exec(text)?.[1];
  if (inner === undefined) throw new NotPlain();
  for (const part of inner.split(',')) {
    const [, key = '', value = ''] = /^([A-Za-z_][\w./-]*): +(.+)$/.exec(part.trim()) ?? [];
    if (key === '' || key === '__proto__' || Object.hasOwn(result, key)) throw new NotPlain();
    if (typeof resolveScalar(key) !== 'string') throw new NotPlain();
    result[key] = flowWord(value);
  }
  return result;
}

function flowWord(word: string): unknown {
  if (word.startsWith('"') && simpleDouble.test(word)) return JSON.parse(word) as string;
  if (word.startsWith("'") && simpleSingle.test(word)) return word.slice(1, -1).replaceAll("''", "'");
  if (!/^[\w./*@$+-]+$/.test(word) || /^[*@-]/.test(word)) throw new NotPlain();
  return typed(word);
}
