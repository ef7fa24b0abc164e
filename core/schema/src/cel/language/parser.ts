import type { Expression, MapEntry, StructField } from './expression.ts';
import { Lexer, type Token, type TokenName, tokenNames } from './lexer.ts';
import { type Expansion, expandFunction, expandMethod } from './macros.ts';
import type { Issue, Source } from './source.ts';
import { literalBytes, unescapeLiteral } from './string-literal.ts';
import { Uint, type Value } from './value.ts';

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const startsExpression: readonly TokenName[] = [
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

/** What may stand right after a complete expression. */
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

const relations = new Set<TokenName>(["'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"]);
const sums = new Set<TokenName>(["'+'", "'-'"]);
const products = new Set<TokenName>(["'*'", "'/'", "'%'"]);
const operatorOf = (token: Token): string => (token.text === 'in' ? '@in' : `_${token.text}_`);

const deepest = 250;
const longestExpression = 100_000;
const int64Limit = 2n ** 63n;

class SyntaxFailure extends Error {}

/** Reads an expression. There is no expression when there are issues. */
export function parse(source: Source): { expression?: Expression; issues: readonly Issue[] } {
  const size = source.characters.length;
  if (size > longestExpression)
    return {
      issues: [
        { at: -1, message: `expression code point size exceeds limit: size: ${size}, limit ${longestExpression}` },
      ],
    };
  const lexer = new Lexer(source);
  const parser = new Parser(lexer.tokens(), lexer.issues);
  const expression = parser.parse();
  return expression && parser.issues.length === 0 ? { expression, issues: [] } : { issues: parser.issues };
}

/**
 * A parser by recursive descent. Its complaints follow the parser generator cel-go uses: a token too many is
 * "extraneous", one too few is "missing", any other is a "mismatched input".
 */
class Parser {
  readonly issues: Issue[];
  private readonly tokens: readonly Token[];
  private position = 0;
  private depth = 0;
  /** After a complaint nothing more is said until a token fits again. */
  private recovering = false;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.tokens = tokens;
    this.issues = issues;
  }

  parse(): Expression | undefined {
    try {
      const expression = this.expression();
      this.require(['<EOF>']);
      return expression;
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error;
      return undefined;
    }
  }

  private peek(ahead = 0): Token {
    return this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)] as Token;
  }

  private next(): Token {
    const token = this.peek();
    this.position++;
    this.recovering = false;
    return token;
  }

  private take(...names: TokenName[]): Token | undefined {
    return names.includes(this.peek().name) ? this.next() : undefined;
  }

  private fail(expected: readonly TokenName[]): never {
    this.complain('mismatched', expected);
    throw new SyntaxFailure();
  }

  private complain(word: string, expected: readonly TokenName[]): void {
    const token = this.peek();
    const sorted = tokenNames.filter((name) => expected.includes(name));
    const names = sorted.length === 1 ? sorted[0] : `{${sorted.join(', ')}}`;
    this.syntaxError(token.at, `${word} input '${token.text}' expecting ${names}`);
  }

  private syntaxError(at: number, message: string): void {
    if (!this.recovering) this.issue(at, `Syntax error: ${message}`);
    this.recovering = true;
  }

  /** Makes sure that one of these comes next: skips one token for it, or gives up. */
  private require(expected: readonly TokenName[]): void {
    const token = this.peek();
    if (expected.includes(token.name)) return;
    if (token.name === '<EOF>' || !expected.includes(this.peek(1).name)) this.fail(expected);
    this.complain('extraneous', expected);
    this.next();
  }

  private issue(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** A closing token. One that is missing is reported and taken for granted. */
  private expect(name: TokenName): Token {
    const token = this.peek();
    if (token.name !== name && this.peek(1).name !== name && followsExpression.has(token.name) && name !== "':'") {
      this.syntaxError(token.at, `missing ${name} at '${token.text}'`);
      return token;
    }
    this.require([name]);
    return this.next();
  }

  private nested<T>(read: () => T): T {
    this.limitDepth(++this.depth, `expression recursion limit exceeded: ${deepest}`);
    const result = read();
    this.depth--;
    return result;
  }

  /** Chains of operators and selections nest as deep as they are long. */
  private limitDepth(depth: number, message = 'max recursion depth exceeded'): void {
    if (depth <= deepest) return;
    this.issue(-1, message);
    throw new SyntaxFailure();
  }

  private chain(
    first: Expression,
    isLink: (token: Token) => boolean,
    link: (left: Expression) => Expression,
  ): Expression {
    let left = first;
    for (let depth = this.depth; isLink(this.peek()); this.limitDepth(++depth)) left = link(left);
    return left;
  }

  private expression(): Expression {
    return this.nested(() => {
      const condition = this.logical("'||'", '_||_', () => this.logical("'&&'", '_&&_', () => this.relation()));
      const question = this.take("'?'");
      if (!question) return condition;
      const yes = this.logical("'||'", '_||_', () => this.logical("'&&'", '_&&_', () => this.relation()));
      this.expect("':'");
      const no = this.expression();
      return { kind: 'call', at: question.at, name: '_?_:_', args: [condition, yes, no] };
    });
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that long chains are not deep. */
  private logical(token: TokenName, name: string, term: () => Expression): Expression {
    const terms = [term()];
    const operators: Token[] = [];
    for (let operator = this.take(token); operator; operator = this.take(token)) {
      operators.push(operator);
      terms.push(term());
    }
    return operators.length === 0 ? (terms[0] as Expression) : balance(name, terms, operators, 0, operators.length - 1);
  }

  private relation(): Expression {
    return this.chain(
      this.sum(),
      ({ name }) => relations.has(name),
      (left) => this.binary(left, () => this.sum()),
    );
  }

  private sum(): Expression {
    return this.chain(
      this.product(),
      ({ name }) => sums.has(name),
      (left) => this.binary(left, () => this.product()),
    );
  }

  private product(): Expression {
    return this.chain(
      this.unary(),
      ({ name }) => products.has(name),
      (left) => this.binary(left, () => this.unary()),
    );
  }

  private binary(left: Expression, right: () => Expression): Expression {
    const operator = this.next();
    return { kind: 'call', at: operator.at, name: operatorOf(operator), args: [left, right()] };
  }

  private unary(): Expression {
    const first = this.peek();
    if (first.name === "'-'" && ['NUM_INT', 'NUM_FLOAT'].includes(this.peek(1).name)) return this.member();
    if (first.name !== "'!'" && first.name !== "'-'") return this.member();
    let count = 0;
    while (this.take(first.name)) count++;
    const operand = this.nested(() => this.member());
    if (count % 2 === 0) return operand;
    return { kind: 'call', at: first.at, name: first.name === "'!'" ? '!_' : '-_', args: [operand] };
  }

  private member(): Expression {
    return this.chain(
      this.primary(),
      ({ name }) => name === "'.'" || name === "'['",
      (operand) => {
        const token = this.next();
        return token.name === "'.'" ? this.selection(operand, token) : this.index(operand, token);
      },
    );
  }

  private selection(operand: Expression, dot: Token): Expression {
    const optional = this.take("'?'");
    const field = this.take('IDENTIFIER', 'ESC_IDENTIFIER');
    if (!field) return this.failField(dot);
    if (field.name === 'ESC_IDENTIFIER') this.issue(field.at, "unsupported syntax: '`'");
    if (optional) {
      const name: Expression = { kind: 'literal', at: field.at, value: field.text };
      return { kind: 'call', at: dot.at, name: '_?._', args: [operand, name] };
    }
    const open = this.take("'('");
    if (!open) return { kind: 'select', at: dot.at, operand, field: field.text, testOnly: false };
    const args = this.list("')'", () => this.expression());
    this.expect("')'");
    const expansion = expandMethod(open.at, field.text, operand, args);
    return expansion
      ? this.expanded(expansion)
      : { kind: 'call', at: open.at, name: field.text, target: operand, args };
  }

  private failField(dot: Token): never {
    const token = this.peek();
    if (["'true'", "'false'", "'null'"].includes(token.name))
      this.syntaxError(token.at, `mismatched input '${token.text}' expecting IDENTIFIER`);
    else {
      const text = token.name === '<EOF>' ? dot.text : `${dot.text}${token.text}`;
      this.syntaxError(token.at, `no viable alternative at input '${text}'`);
    }
    throw new SyntaxFailure();
  }

  private index(operand: Expression, bracket: Token): Expression {
    const optional = this.take("'?'");
    const index = this.expression();
    this.expect("']'");
    return { kind: 'call', at: bracket.at, name: optional ? '_[?_]' : '_[_]', args: [operand, index] };
  }

  private expanded(expansion: Expansion): Expression {
    if ('kind' in expansion) return expansion;
    this.issue(expansion.at, expansion.error);
    return { kind: 'literal', at: expansion.at, value: null };
  }

  private primary(): Expression {
    if (!this.startOperand()) return { kind: 'literal', at: this.peek().at, value: null };
    const token = this.peek();
    switch (token.name) {
      case "'('": {
        this.next();
        const inner = this.expression();
        this.expect("')'");
        return inner;
      }
      case "'['":
        return this.listLiteral();
      case "'{'":
        return this.mapLiteral();
      case "'.'":
      case 'IDENTIFIER':
        return this.name();
      case "'-'":
        if (this.peek(1).name === 'NUM_INT' || this.peek(1).name === 'NUM_FLOAT') return this.literal();
        return this.fail(startsExpression);
      default:
        return token.name === "'!'" ? this.fail(startsExpression) : this.literal();
    }
  }

  /** Whether an operand comes. If none does, what cannot follow one is skipped, so that more can be said about the rest. */
  private startOperand(): boolean {
    const token = this.peek();
    if (startsExpression.includes(token.name)) return true;
    if (token.name !== '<EOF>' && startsExpression.includes(this.peek(1).name)) {
      this.complain('extraneous', startsExpression);
      this.next();
      return true;
    }
    this.complain('mismatched', startsExpression);
    while (!followsExpression.has(this.peek().name)) this.position++;
    return false;
  }

  private name(): Expression {
    const dot = this.take("'.'");
    const struct = this.structName();
    if (struct !== undefined) return this.structLiteral(dot ? `.${struct}` : struct);
    const token = this.peek();
    if (token.name !== 'IDENTIFIER') return dot ? this.failField(dot) : this.fail(startsExpression);
    this.next();
    if (reserved.has(token.text)) {
      this.issue(dot?.at ?? token.at, `reserved identifier: ${token.text}`);
      return { kind: 'literal', at: token.at, value: null };
    }
    const name = dot ? `.${token.text}` : token.text;
    const open = this.take("'('");
    if (!open) return { kind: 'identifier', at: token.at, name };
    const args = this.list("')'", () => this.expression());
    this.expect("')'");
    const expansion = expandFunction(open.at, name, args);
    return expansion ? this.expanded(expansion) : { kind: 'call', at: open.at, name, args };
  }

  /** The name before `{`, if that is what comes. */
  private structName(): string | undefined {
    let ahead = 0;
    let name = '';
    for (; this.peek(ahead).name === 'IDENTIFIER'; ahead += 2) {
      name += this.peek(ahead).text;
      const after = this.peek(ahead + 1).name;
      if (after === "'{'") {
        this.position += ahead + 1;
        return name;
      }
      if (after !== "'.'") return undefined;
      name += '.';
    }
    return undefined;
  }

  private structLiteral(typeName: string): Expression {
    const { at } = this.next();
    this.require(["'}'", "','", "'?'", 'IDENTIFIER', 'ESC_IDENTIFIER']);
    const fields = this.list("'}'", (): StructField => {
      const optional = this.take("'?'") !== undefined;
      const field = this.take('IDENTIFIER', 'ESC_IDENTIFIER') ?? this.fail(['IDENTIFIER', 'ESC_IDENTIFIER']);
      if (field.name === 'ESC_IDENTIFIER') this.issue(field.at, "unsupported syntax: '`'");
      const colon = this.expect("':'");
      return { at: colon.at, name: field.text, value: this.expression(), optional };
    });
    this.take("','");
    this.expect("'}'");
    return { kind: 'struct', at, typeName, fields };
  }

  private listLiteral(): Expression {
    const { at } = this.next();
    this.require([...startsExpression, "']'", "','", "'?'"]);
    const elements = this.list("']'", () => {
      const optional = this.take("'?'") !== undefined;
      return { value: this.expression(), optional };
    });
    this.take("','");
    this.require(["']'", "','"]);
    this.take("','");
    this.expect("']'");
    return { kind: 'list', at, elements };
  }

  private mapLiteral(): Expression {
    const { at } = this.next();
    this.require([...startsExpression, "'}'", "','", "'?'"]);
    const entries = this.list("'}'", (): MapEntry => {
      const optional = this.take("'?'") !== undefined;
      const key = this.expression();
      const colon = this.expect("':'");
      return { at: colon.at, key, value: this.expression(), optional };
    });
    this.take("','");
    this.require(["'}'", "','"]);
    this.take("','");
    this.expect("'}'");
    return { kind: 'map', at, entries };
  }

  /** Elements between commas, up to the closing token; a comma right before it is left for the caller. */
  private list<T>(close: TokenName, element: () => T): T[] {
    const elements: T[] = [];
    if (this.peek().name === close || this.peek().name === "','") return elements;
    elements.push(element());
    while (this.peek().name === "','" && (close === "')'" || this.peek(1).name !== close)) {
      this.next();
      elements.push(element());
    }
    return elements;
  }

  private literal(): Expression {
    const sign = this.take("'-'");
    const token = this.next();
    const at = sign?.at ?? token.at;
    const value = this.literalValue(token, sign ? '-' : '');
    if (typeof value !== 'object' || value === null || !('error' in value)) return { kind: 'literal', at, value };
    this.issue(at, value.error);
    return { kind: 'literal', at, value: null };
  }

  private literalValue({ name, text }: Token, sign: string): Value | { error: string } {
    switch (name) {
      case 'NUM_INT': {
        const value = sign === '-' ? -BigInt(text) : BigInt(text);
        return value >= -int64Limit && value < int64Limit ? value : { error: 'invalid int literal' };
      }
      case 'NUM_UINT': {
        const value = BigInt(text.slice(0, -1));
        return value < 2n * int64Limit ? new Uint(value) : { error: 'invalid uint literal' };
      }
      case 'NUM_FLOAT': {
        const value = Number(sign + text);
        return Number.isFinite(value) ? value : { error: 'invalid double literal' };
      }
      case 'STRING': {
        const result = unescapeLiteral(text, false);
        return 'error' in result ? result : result.text;
      }
      case 'BYTES': {
        const result = literalBytes(text.slice(1));
        return 'error' in result ? result : result.bytes;
      }
      default:
        return name === "'null'" ? null : name === "'true'";
    }
  }
}

function balance(
  name: string,
  terms: readonly Expression[],
  operators: readonly Token[],
  low: number,
  high: number,
): Expression {
  const middle = Math.floor((low + high + 1) / 2);
  const left = middle === low ? (terms[middle] as Expression) : balance(name, terms, operators, low, middle - 1);
  const right = middle === high ? (terms[middle + 1] as Expression) : balance(name, terms, operators, middle + 1, high);
  return { kind: 'call', at: (operators[middle] as Token).at, name, args: [left, right] };
}
