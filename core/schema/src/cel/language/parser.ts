import { type Expression, type MapEntry, partsOf, type StructField } from './expression.ts';
import { Lexer, type Token, type TokenName } from './lexer.ts';
import { type Dialect, type Expansion, expandFunction, expandMethod } from './macros.ts';
import type { Issue, Source } from './source.ts';
import { literalBytes, unescapeLiteral } from './string-literal.ts';
import { startsExpression, SyntaxFailure, TokenStream } from './token-stream.ts';
import { Uint, type Value } from './value.ts';

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const relations = new Set<TokenName>(["'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"]);
const sums = new Set<TokenName>(["'+'", "'-'"]);
const products = new Set<TokenName>(["'*'", "'/'", "'%'"]);
const operatorOf = (token: Token): string => (token.text === 'in' ? '@in' : `_${token.text}_`);

const deepest = 250;
/** Macros make several levels of one. */
const deepestTree = 4 * deepest;
const tooDeep = 'max recursion depth exceeded';
const maxExpressionLength = 100_000;
const int64Limit = 2n ** 63n;

/** Reads an expression, in plain CEL if that is wanted. There is no expression when there are issues. */
export function parse(
  source: Source,
  dialect: Dialect = 'kubernetes',
): { expression?: Expression; issues: readonly Issue[] } {
  const size = source.characters.length;
  if (size > maxExpressionLength)
    return {
      issues: [
        { at: -1, message: `expression code point size exceeds limit: size: ${size}, limit ${maxExpressionLength}` },
      ],
    };
  const lexer = new Lexer(source);
  const tokens = new TokenStream(lexer.tokens(), lexer.issues);
  const expression = new Parser(tokens, dialect).parse();
  if (expression && isTooDeep(expression)) tokens.issue(-1, tooDeep);
  return expression && tokens.issues.length === 0 ? { expression, issues: [] } : { issues: tokens.issues };
}

/** Chains of operators in parentheses get deep without any part of them being so. */
function isTooDeep(expression: Expression): boolean {
  const pending: [Expression, number][] = [[expression, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [each, depth] = next;
    if (depth > deepestTree) return true;
    for (const part of partsOf(each)) pending.push([part, depth + 1]);
  }
  return false;
}

/** A parser by recursive descent. */
class Parser {
  private readonly tokens: TokenStream;
  private readonly dialect: Dialect;
  private depth = 0;

  constructor(tokens: TokenStream, dialect: Dialect) {
    this.tokens = tokens;
    this.dialect = dialect;
  }

  parse(): Expression | undefined {
    try {
      const expression = this.expression();
      this.tokens.require(['<EOF>']);
      return expression;
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error;
      return undefined;
    }
  }

  private nested<T>(read: () => T): T {
    this.limitDepth(++this.depth, `expression recursion limit exceeded: ${deepest}`);
    const result = read();
    this.depth--;
    return result;
  }

  /** Chains of operators and selections nest as deep as they are long. */
  private limitDepth(depth: number, message = tooDeep): void {
    if (depth <= deepest) return;
    this.tokens.issue(-1, message);
    throw new SyntaxFailure();
  }

  private chain(
    first: Expression,
    isLink: (token: Token) => boolean,
    link: (left: Expression) => Expression,
  ): Expression {
    let left = first;
    for (let depth = this.depth; isLink(this.tokens.peek()); this.limitDepth(++depth)) left = link(left);
    return left;
  }

  private expression(): Expression {
    return this.nested(() => {
      const condition = this.logical("'||'", '_||_', () => this.logical("'&&'", '_&&_', () => this.relation()));
      const question = this.tokens.take("'?'");
      if (!question) return condition;
      const yes = this.logical("'||'", '_||_', () => this.logical("'&&'", '_&&_', () => this.relation()));
      this.tokens.expect("':'");
      const no = this.expression();
      return { kind: 'call', at: question.at, name: '_?_:_', args: [condition, yes, no] };
    });
  }

  /** A chain of `&&` or `||` becomes a balanced tree, so that long chains are not deep. */
  private logical(token: TokenName, name: string, term: () => Expression): Expression {
    const terms = [term()];
    const operators: Token[] = [];
    for (let operator = this.tokens.take(token); operator; operator = this.tokens.take(token)) {
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
    const operator = this.tokens.next();
    return { kind: 'call', at: operator.at, name: operatorOf(operator), args: [left, right()] };
  }

  private unary(): Expression {
    const first = this.tokens.peek();
    if (first.name === "'-'" && ['NUM_INT', 'NUM_FLOAT'].includes(this.tokens.peek(1).name)) return this.member();
    if (first.name !== "'!'" && first.name !== "'-'") return this.member();
    let count = 0;
    while (this.tokens.take(first.name)) count++;
    const operand = this.nested(() => this.member());
    if (count % 2 === 0) return operand;
    return { kind: 'call', at: first.at, name: first.name === "'!'" ? '!_' : '-_', args: [operand] };
  }

  private member(): Expression {
    return this.chain(
      this.primary(),
      ({ name }) => name === "'.'" || name === "'['",
      (operand) => {
        const token = this.tokens.next();
        return token.name === "'.'" ? this.selection(operand, token) : this.index(operand, token);
      },
    );
  }

  private selection(operand: Expression, dot: Token): Expression {
    const optional = this.optional(dot);
    const field = this.tokens.take('IDENTIFIER', 'ESC_IDENTIFIER');
    if (!field) return this.failField(dot);
    if (field.name === 'ESC_IDENTIFIER') this.tokens.issue(field.at, "unsupported syntax: '`'");
    if (optional) {
      const name: Expression = { kind: 'literal', at: field.at, value: field.text };
      return { kind: 'call', at: dot.at, name: '_?._', args: [operand, name] };
    }
    const open = this.tokens.take("'('");
    if (!open) return { kind: 'select', at: dot.at, operand, field: field.text, testOnly: false };
    const args = this.list("')'", () => this.expression());
    this.tokens.expect("')'");
    const expansion = expandMethod({ at: open.at, name: field.text, args }, operand, this.dialect);
    return expansion
      ? this.expanded(expansion)
      : { kind: 'call', at: open.at, name: field.text, target: operand, args };
  }

  /** The mark of something that may be missing, behind `opening` if there is anything before it. */
  private optional(opening?: Token): boolean {
    const mark = this.tokens.take("'?'");
    if (mark && this.dialect !== 'kubernetes')
      this.tokens.issue((opening ?? mark).at, `unsupported syntax '${opening?.text ?? ''}?'`);
    return mark !== undefined;
  }

  private failField(dot: Token): never {
    const token = this.tokens.peek();
    if (["'true'", "'false'", "'null'"].includes(token.name))
      this.tokens.syntaxError(token.at, `mismatched input '${token.text}' expecting IDENTIFIER`);
    else {
      const text = token.name === '<EOF>' ? dot.text : `${dot.text}${token.text}`;
      this.tokens.syntaxError(token.at, `no viable alternative at input '${text}'`);
    }
    throw new SyntaxFailure();
  }

  private index(operand: Expression, bracket: Token): Expression {
    this.tokens.require([...startsExpression, "'?'"]);
    const optional = this.optional(bracket);
    const index = this.expression();
    this.tokens.expect("']'");
    return { kind: 'call', at: bracket.at, name: optional ? '_[?_]' : '_[_]', args: [operand, index] };
  }

  private expanded(expansion: Expansion): Expression {
    if ('kind' in expansion) return expansion;
    this.tokens.issue(expansion.at, expansion.error);
    return { kind: 'literal', at: expansion.at, value: null };
  }

  private primary(): Expression {
    if (!this.tokens.startOperand()) return { kind: 'literal', at: this.tokens.peek().at, value: null };
    const token = this.tokens.peek();
    switch (token.name) {
      case "'('": {
        this.tokens.next();
        const inner = this.expression();
        this.tokens.expect("')'");
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
        if (this.tokens.peek(1).name === 'NUM_INT' || this.tokens.peek(1).name === 'NUM_FLOAT') return this.literal();
        return this.tokens.fail(startsExpression);
      default:
        return token.name === "'!'" ? this.tokens.fail(startsExpression) : this.literal();
    }
  }

  private name(): Expression {
    const dot = this.tokens.take("'.'");
    const struct = this.structName();
    if (struct !== undefined) return this.structLiteral(dot ? `.${struct}` : struct);
    const token = this.tokens.peek();
    if (token.name !== 'IDENTIFIER') return dot ? this.failField(dot) : this.tokens.fail(startsExpression);
    this.tokens.next();
    if (reserved.has(token.text)) {
      this.tokens.issue(dot?.at ?? token.at, `reserved identifier: ${token.text}`);
      return { kind: 'literal', at: token.at, value: null };
    }
    const name = dot ? `.${token.text}` : token.text;
    const open = this.tokens.take("'('");
    if (!open) return { kind: 'identifier', at: token.at, name };
    const args = this.list("')'", () => this.expression());
    this.tokens.expect("')'");
    const expansion = expandFunction(open.at, name, args);
    return expansion ? this.expanded(expansion) : { kind: 'call', at: open.at, name, args };
  }

  /** The name before `{`, if that is what comes. */
  private structName(): string | undefined {
    let ahead = 0;
    let name = '';
    for (; this.tokens.peek(ahead).name === 'IDENTIFIER'; ahead += 2) {
      name += this.tokens.peek(ahead).text;
      const after = this.tokens.peek(ahead + 1).name;
      if (after === "'{'") {
        this.tokens.advance(ahead + 1);
        return name;
      }
      if (after !== "'.'") return undefined;
      name += '.';
    }
    return undefined;
  }

  private structLiteral(typeName: string): Expression {
    const { at } = this.tokens.next();
    this.tokens.require(["'}'", "','", "'?'", 'IDENTIFIER', 'ESC_IDENTIFIER']);
    const fields = this.list("'}'", (): StructField => {
      const optional = this.optional();
      const field =
        this.tokens.take('IDENTIFIER', 'ESC_IDENTIFIER') ?? this.tokens.fail(['IDENTIFIER', 'ESC_IDENTIFIER']);
      if (field.name === 'ESC_IDENTIFIER') this.tokens.issue(field.at, "unsupported syntax: '`'");
      const colon = this.tokens.expect("':'");
      return { at: colon.at, name: field.text, value: this.expression(), optional };
    });
    this.tokens.take("','");
    this.tokens.expect("'}'");
    return { kind: 'struct', at, typeName, fields };
  }

  private listLiteral(): Expression {
    const { at } = this.tokens.next();
    this.tokens.require([...startsExpression, "']'", "','", "'?'"]);
    const elements = this.list("']'", () => {
      const optional = this.optional();
      return { value: this.expression(), optional };
    });
    this.tokens.take("','");
    this.tokens.require(["']'", "','"]);
    this.tokens.take("','");
    this.tokens.expect("']'");
    return { kind: 'list', at, elements };
  }

  private mapLiteral(): Expression {
    const { at } = this.tokens.next();
    this.tokens.require([...startsExpression, "'}'", "','", "'?'"]);
    const entries = this.list("'}'", (): MapEntry => {
      const optional = this.optional();
      const key = this.expression();
      const colon = this.tokens.expect("':'");
      return { at: colon.at, key, value: this.expression(), optional };
    });
    this.tokens.take("','");
    this.tokens.require(["'}'", "','"]);
    this.tokens.take("','");
    this.tokens.expect("'}'");
    return { kind: 'map', at, entries };
  }

  /** Elements between commas, up to the closing token; a comma right before it is left for the caller. */
  private list<T>(close: TokenName, element: () => T): T[] {
    const elements: T[] = [];
    if (this.tokens.peek().name === close || this.tokens.peek().name === "','") return elements;
    elements.push(element());
    while (this.tokens.peek().name === "','" && (close === "')'" || this.tokens.peek(1).name !== close)) {
      this.tokens.next();
      elements.push(element());
    }
    return elements;
  }

  private literal(): Expression {
    const sign = this.tokens.take("'-'");
    const token = this.tokens.next();
    const at = sign?.at ?? token.at;
    const value = this.literalValue(token, sign ? '-' : '');
    if (typeof value !== 'object' || value === null || !('error' in value)) return { kind: 'literal', at, value };
    this.tokens.issue(at, value.error);
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
