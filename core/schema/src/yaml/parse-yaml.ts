import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
} from 'yaml';
import { readPlainDocument } from './plain-yaml.ts';
import { type DuplicateKey, isMergeKey, YamlConverter } from './yaml-converter.ts';
import { describeSyntaxError, type Place, YamlError } from './yaml-error.ts';

/** One document of a YAML text, as JSON. */
export interface YamlDocument {
  readonly value: unknown;
  /** The line of its first content, from 1. */
  readonly line: number;
  /** Duplicate keys of a mapping. The last value counts; strict readers report {@link strictYamlError}. */
  readonly duplicateKeys: readonly DuplicateKey[];
  /** Where a field or a list's element begins. A path that leads nowhere gives the place where it is lost. */
  positionOf(path: readonly (string | number)[]): Place;
}

/**
 * Reads YAML as kubectl and the API server do, which is YAML 1.1 with Go's exceptions: `yes` is true and `0777` octal, but
 * `12:30` is a string and so is a date. Throws a YamlError.
 *
 * Guarantees: values are JSON, new, and safe from keys like `__proto__`; aliases cannot blow a small text up without limit.
 *
 * @example
 * parseYaml('a: yes\n---\nb: [1, x]')[0].value // { a: true }
 */
export function parseYaml(text: string): YamlDocument[] {
  return readQuickly(text) ?? readDocuments(text, Number.POSITIVE_INFINITY);
}

/** Reads the first document alone, as the API server does with a body; errors after it do not matter. */
export function parseFirstYaml(text: string): YamlDocument | undefined {
  return readDocuments(text, 1)[0];
}

/** Characters outside of plain ASCII, which libyaml checks. */
const notPlainAscii = /[^\t\n\r\x20-\x7e]/;
const controlCharacter = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Most texts are ASCII, which is quicker to see. */
function hasControlCharacter(text: string): boolean {
  return notPlainAscii.test(text) && controlCharacter.test(text);
}

/** Smaller texts do not profit from the fast reader. */
const worthWhile = 4096;

/**
 * Large texts document by document, with a reader for what is plain. A document that is not plain is parsed alone; a
 * text with an error, or anything odd between its documents, is left to the parser as a whole. Positions are computed
 * on demand.
 */
function readQuickly(text: string): YamlDocument[] | undefined {
  if (text.length < worthWhile || text.includes('\r') || hasControlCharacter(text)) return undefined;
  const lines = text.split('\n');
  const parts = splitDocuments(lines);
  let whole: YamlDocument[] | undefined;
  const documents: YamlDocument[] = [];
  for (const [index, { from, to }] of (parts ?? []).entries()) {
    const plain = readPlainDocument(lines, from, to);
    if (plain) {
      const positionOf = (path: readonly (string | number)[]) => {
        whole ??= readDocuments(text, Number.POSITIVE_INFINITY);
        return (whole[index] as YamlDocument).positionOf(path);
      };
      documents.push({ ...plain, duplicateKeys: [], positionOf });
      continue;
    }
    const alone = readAlone(lines.slice(from, to).join('\n'), from);
    if (!alone) return undefined;
    documents.push(alone);
  }
  return parts && documents;
}

/** The parts between `---`. Undefined when there is anything else between documents. */
function splitDocuments(lines: readonly string[]): readonly { from: number; to: number }[] | undefined {
  const parts: { from: number; to: number }[] = [];
  let from = 0;
  const isEmpty = (start: number, end: number) => lines.slice(start, end).every((line) => /^\s*(?:#|$)/.test(line));
  const add = (to: number) => {
    // Before the first mark there may be comments alone.
    if (from === 0 && isEmpty(0, to)) return;
    parts.push({ from, to });
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.startsWith('...') || line.startsWith('%') || line.startsWith('\ufeff')) return undefined;
    if (!line.startsWith('---')) continue;
    if (!/^---[ ]*$/.test(line)) return undefined;
    add(at);
    from = at + 1;
  }
  add(lines.length);
  return parts;
}

/** A part that is one document, by the parser. */
function readAlone(text: string, lineOffset: number): YamlDocument | undefined {
  try {
    const [document, ...others] = readDocuments(`---\n${text}`, Number.POSITIVE_INFINITY);
    if (!document || others.length > 0) return undefined;
    const moved = lineOffset - 1;
    return {
      value: document.value,
      line: document.line + moved,
      duplicateKeys: document.duplicateKeys.map(({ key, line }) => ({ key, line: line + moved })),
      positionOf: (path) => {
        const { line, column } = document.positionOf(path);
        return { line: line + moved, column };
      },
    };
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

function readDocuments(text: string, limit: number): YamlDocument[] {
  if (hasControlCharacter(text)) throw new YamlError('yaml: control characters are not allowed');
  const counter = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = counter.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return parseNodes(text, counter)
    .slice(0, limit)
    .map((document) => readDocument(document, text, placeOf));
}

/**
 * How deep collections may be nested. The parser composes them by recursion, and where its stack ends the process may end,
 * too: V8 does not survive it while it compiles a regular expression. So that point is never reached.
 */
const maxDepth = 300;

function parseNodes(text: string, lineCounter: LineCounter): Document.Parsed[] {
  const composer = new Composer({ schema: 'failsafe', merge: false, uniqueKeys: false, logLevel: 'silent' });
  return Array.from(composer.compose(readTokens(text, lineCounter)));
}

function* readTokens(text: string, lineCounter: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > maxDepth) throw new YamlError('yaml: exceeded max depth');
  }
  yield* parser.end();
}

function readDocument(document: Document.Parsed, text: string, placeOf: (offset: number) => Place): YamlDocument {
  if (document.errors.length > 0) throw describeSyntaxError(document.errors, text, placeOf);
  const contents = document.contents as Node | null;
  const targets = resolveAliases(document);
  const converter = new YamlConverter(targets, placeOf);
  const value = converter.convert(contents);
  const start = placeOf(contents?.range?.[0] ?? document.range[0]);
  return {
    value,
    line: start.line,
    duplicateKeys: converter.duplicateKeys,
    positionOf: (path) => findPlace(contents, path, targets, placeOf) ?? start,
  };
}

/** Resolves each alias to the last node before it that has its anchor. */
function resolveAliases(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if ('anchor' in node && node.anchor) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function findPlace(
  root: Node | null,
  path: readonly (string | number)[],
  targets: ReadonlyMap<Alias, Node>,
  placeOf: (offset: number) => Place,
): Place | undefined {
  let node: Node | null | undefined = root;
  let place: Place | undefined;
  for (const step of path) {
    if (isAlias(node)) node = targets.get(node);
    let begin: Node | null | undefined;
    if (isMap(node)) {
      const pair: Pair<Node, Node | null> | undefined = findPair(node.items as Pair<Node, Node | null>[], String(step));
      begin = pair?.key;
      node = pair?.value;
    } else if (isSeq(node)) {
      begin = node.items[Number(step)] as Node | undefined;
      node = begin;
    }
    if (!begin?.range) return place;
    place = placeOf(begin.range[0]);
  }
  return place;
}

function findPair(pairs: readonly Pair<Node, Node | null>[], key: string): Pair<Node, Node | null> | undefined {
  return pairs.findLast((pair) => isScalar(pair.key) && !isMergeKey(pair.key) && String(pair.key.value) === key);
}

/** The error of strict reading for duplicate keys, in Kubernetes' words; undefined when there are none. */
export function strictYamlError({ duplicateKeys }: Pick<YamlDocument, 'duplicateKeys'>): string | undefined {
  if (duplicateKeys.length === 0) return undefined;
  const lines = duplicateKeys.map(({ line, key }) => `  line ${line}: key ${key} already set in map`);
  return `yaml: unmarshal errors:\n${lines.join('\n')}`;
}
