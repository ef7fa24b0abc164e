import { formatFieldErrors } from './field-error.ts';
import {
  binaryOperatorList,
  keyErrors,
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  SelectorError,
} from './label-requirement.ts';

type TokenKind = 'end' | 'word' | ')' | '(' | ',' | '!' | '==' | '=' | '!=' | '>' | '<' | 'in' | 'notin';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const punctuation = new Set<string>([')', '(', ',', '!', '==', '=', '!=', '>', '<']);
const special = /[=!(),><]/;
const blank = /[ \t\r\n]/;

/** A NUL ends the text, as it does upstream. */
function scan(input: string): Token[] {
  const nul = input.indexOf('\0');
  const text = nul < 0 ? input : input.slice(0, nul);
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const char = text[position] as string;
    if (blank.test(char)) position++;
    else {
      const token = special.test(char) ? scanSymbol(text, position) : scanWord(text, position);
      tokens.push(token.token);
      position = token.end;
    }
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

function scanWord(text: string, start: number): { token: Token; end: number } {
  let end = start;
  while (end < text.length && !special.test(text[end] as string) && !blank.test(text[end] as string)) end++;
  const word = text.slice(start, end);
  return { token: { kind: word === 'in' || word === 'notin' ? word : 'word', text: word }, end };
}

/** The longest symbol that starts here: `!=` before `!`. */
function scanSymbol(text: string, start: number): { token: Token; end: number } {
  const pair = text.slice(start, start + 2);
  const symbol = punctuation.has(pair) ? pair : text.slice(start, start + 1);
  return { token: { kind: symbol as TokenKind, text: symbol }, end: start + symbol.length };
}

const operatorOfToken: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/** The requirements of a selector in its string form, sorted by key; throws a {@link SelectorError}. */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  const requirements = new Parser(scan(text)).parse();
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

class Parser {
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'word' && token.kind !== '!')
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.requirement());
      const after = this.next();
      if (after.kind === 'end') return requirements;
      if (after.kind !== ',') throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`);
      const following = this.peek();
      if (following.kind !== 'word' && following.kind !== '!')
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  /** `in` and `notin` are operators only where an operator can stand; elsewhere they are words. */
  private peek(): Token {
    const token = this.tokens[this.position] ?? { kind: 'end', text: '' };
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token;
  }

  private next(): Token {
    const token = this.peek();
    this.position++;
    return token;
  }

  private requirement(): LabelRequirement {
    try {
      return this.unwrappedRequirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  private unwrappedRequirement(): LabelRequirement {
    let token = this.next();
    const negated = token.kind === '!';
    if (negated) token = this.next();
    if (token.kind !== 'word') throw new SelectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const errors = keyErrors(key);
    if (errors.length > 0) throw new SelectorError(formatFieldErrors(errors));
    // `!key` is complete whatever follows; what follows is for the caller to reject.
    if (negated) return labelRequirement(key, '!', []);
    const { kind } = this.peek();
    if (kind === 'end' || kind === ',') return labelRequirement(key, 'exists', []);
    const operator = this.operator();
    const values = operator === 'in' || operator === 'notin' ? this.valueSet() : this.exactValue();
    return labelRequirement(key, operator, [...values].sort());
  }

  private operator(): LabelOperator {
    const token = this.tokens[this.position++] ?? { kind: 'end' as const, text: '' };
    const operator = operatorOfToken[token.kind];
    if (!operator) throw new SelectorError(`found '${token.text}', expected: ${binaryOperatorList}`);
    return operator;
  }

  private valueSet(): Set<string> {
    const open = this.next();
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.peek();
    if (first.kind === ')') {
      this.next();
      return new Set(['']);
    }
    if (first.kind !== 'word' && first.kind !== ',')
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.identifiers();
    if (this.next().kind !== ')') throw new SelectorError(`found '${first.text}', expected: ')'`);
    return values;
  }

  /** Words between commas; an empty place between two commas, or at either end, is the empty value. */
  private identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.next();
      const following = this.peek();
      if (token.kind === 'word') {
        values.add(token.text);
        if (following.kind === ')') return values;
        if (following.kind !== ',') throw new SelectorError(`found '${following.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        if (following.kind === ')' || following.kind === ',') values.add('');
        if (following.kind === ')') return values;
      } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
    }
  }

  private exactValue(): Set<string> {
    const { kind } = this.peek();
    if (kind === 'end' || kind === ',') return new Set(['']);
    const token = this.next();
    if (token.kind !== 'word') throw new SelectorError(`found '${token.text}', expected: identifier`);
    return new Set([token.text]);
  }
}
