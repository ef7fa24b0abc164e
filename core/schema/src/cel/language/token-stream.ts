import { type Token, type TokenName, tokenNames } from './lexer.ts';
import type { Issue } from './source.ts';

/** The tokens that can begin an expression. */
export const startsExpression: readonly TokenName[] = [
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
];

/** The tokens that may follow a complete expression. */
const followsExpression = new Set<TokenName>([
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
  "'}'",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  '<EOF>',
]);

/** The text cannot be understood any further; what is wrong has been reported. */
export class SyntaxFailure extends Error {}

/**
 * The tokens of an expression, and their errors. The messages follow the parser generator that cel-go uses: a token too
 * many is "extraneous", one too few is "missing", any other is a "mismatched input".
 */
export class TokenStream {
  readonly issues: Issue[];
  private readonly tokens: readonly Token[];
  private position = 0;
  /** After an error, no further error is reported until a token fits again. */
  private recovering = false;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.tokens = tokens;
    this.issues = issues;
  }

  peek(ahead = 0): Token {
    return this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)] as Token;
  }

  next(): Token {
    const token = this.peek();
    this.position++;
    this.recovering = false;
    return token;
  }

  take(...names: TokenName[]): Token | undefined {
    return names.includes(this.peek().name) ? this.next() : undefined;
  }

  fail(expected: readonly TokenName[]): never {
    this.report('mismatched', expected);
    throw new SyntaxFailure();
  }

  report(word: string, expected: readonly TokenName[]): void {
    const token = this.peek();
    const sorted = tokenNames.filter((name) => expected.includes(name));
    const names = sorted.length === 1 ? sorted[0] : `{${sorted.join(', ')}}`;
    this.syntaxError(token.at, `${word} input '${token.text}' expecting ${names}`);
  }

  syntaxError(at: number, message: string): void {
    if (!this.recovering) this.issue(at, `Syntax error: ${message}`);
    this.recovering = true;
  }

  /** Makes sure that one of these comes next: skips one token for it, or gives up. */
  require(expected: readonly TokenName[]): void {
    const token = this.peek();
    if (expected.includes(token.name)) return;
    if (token.name === '<EOF>' || !expected.includes(this.peek(1).name)) this.fail(expected);
    this.report('extraneous', expected);
    this.next();
  }

  issue(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** A closing token. One that is missing is reported and taken for granted. */
  expect(name: TokenName): Token {
    const token = this.peek();
    if (token.name !== name && this.peek(1).name !== name && followsExpression.has(token.name) && name !== "':'") {
      this.syntaxError(token.at, `missing ${name} at '${token.text}'`);
      return token;
    }
    this.require([name]);
    return this.next();
  }

  /** Whether an operand comes. If none does, what cannot follow one is skipped, so that more can be said about the rest. */
  startOperand(): boolean {
    const token = this.peek();
    if (startsExpression.includes(token.name)) return true;
    if (token.name !== '<EOF>' && startsExpression.includes(this.peek(1).name)) {
      this.report('extraneous', startsExpression);
      this.next();
      return true;
    }
    this.report('mismatched', startsExpression);
    while (!followsExpression.has(this.peek().name)) this.position++;
    return false;
  }

  /** Advances by `count` inspected tokens. */
  advance(count: number): void {
    this.position += count;
  }
}
