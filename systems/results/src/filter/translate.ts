import { type Compilation, type Program, Timestamp, Uint } from '@tektite/schema';
import type { Comparison, Condition, DatePart, JsonColumn, Term, TextTest } from './condition.ts';
import type { FilterEnvironment } from './environments.ts';

type Checked = Extract<Compilation, { program: Program }>['checked'];
type Expression = Checked['expression'];
type Call = Extract<Expression, { kind: 'call' }>;

/** A filter that cannot be one; the text is upstream's, for the client. */
export class FilterError extends Error {}

/** Longer filters are refused before they are read. */
const maxFilterLength = 8192;

/**
 * Reads a filter of CEL. As upstream, it is not evaluated but becomes a condition of the database, so only what a database can answer is
 * allowed.
 */
export function parseFilter(text: string, environment: FilterEnvironment): Condition | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (trimmed.length > maxFilterLength)
    throw new FilterError(`the filter has ${trimmed.length} characters, more than ${maxFilterLength}`);
  const compilation = environment.cel.compile(trimmed);
  if (compilation.program === undefined) throw new FilterError(`error compiling CEL filters: ${compilation.error}`);
  const { checked } = compilation;
  const { kind, name } = checked.type;
  if (kind !== 'bool' && kind !== 'dyn') throw new FilterError(`expected boolean expression, but got ${name}`);
  return new Translator(checked, environment, trimmed).condition(checked.expression);
}

const comparisons: Readonly<Record<string, Comparison>> = {
  '_==_': '=',
  '_!=_': '<>',
  '_<_': '<',
  '_<=_': '<=',
  '_>_': '>',
  '_>=_': '>=',
};
const arithmetic = new Set(['_+_', '_-_', '_*_', '_/_', '_%_']);
const textTests = new Set(['contains', 'startsWith', 'endsWith', 'matches']);
const dateParts: Readonly<Record<string, readonly [DatePart, 0 | 1]>> = {
  getDate: ['DAY', 0],
  getDayOfMonth: ['DAY', 1],
  getDayOfWeek: ['DOW', 0],
  getDayOfYear: ['DOY', 1],
  getFullYear: ['YEAR', 0],
};

class Translator {
  private readonly checked: Checked;
  private readonly environment: FilterEnvironment;
  private readonly text: string;

  constructor(checked: Checked, environment: FilterEnvironment, text: string) {
    this.checked = checked;
    this.environment = environment;
    this.text = text;
  }

  condition(expression: Expression): Condition {
    if (expression.kind === 'select' && expression.testOnly)
      return { kind: 'present', term: this.selection({ ...expression, testOnly: false }) };
    if (expression.kind !== 'call') return { kind: 'isTrue', term: this.term(expression) };
    const { name, target, args } = expression;
    const [first, second] = args as readonly [Expression, Expression];
    if (name === '_&&_' || name === '_||_')
      return { kind: name === '_&&_' ? 'and' : 'or', of: args.map((each) => this.condition(each)) };
    if (name === '!_') return { kind: 'not', of: this.condition(first) };
    const operator = comparisons[name];
    if (operator) return this.comparison(operator, first, second);
    if (name === '@in') return this.membership(first, second);
    if (textTests.has(name) && target) {
      const [term, argument] = [this.term(target), this.term(first)];
      return { kind: 'text', test: name as TextTest, term, argument };
    }
    return { kind: 'isTrue', term: this.term(expression) };
  }

  private comparison(operator: Comparison, first: Expression, second: Expression): Condition {
    let [left, right] = [this.term(first), this.term(second)];
    // JSON has no times: a text that is compared with a time is read as one.
    if (this.isTime(second) && left.kind === 'json') left = { kind: 'time', of: left };
    if (this.isTime(first) && right.kind === 'json') right = { kind: 'time', of: right };
    return { kind: 'compare', operator, left, right };
  }

  private membership(first: Expression, second: Expression): Condition {
    if (second.kind === 'list')
      return { kind: 'in', term: this.term(first), options: second.elements.map(({ value }) => this.term(value)) };
    const map = this.term(second);
    const key = this.term(first);
    if (map.kind === 'json' && key.kind === 'constant' && typeof key.value === 'string')
      return { kind: 'present', term: { ...map, path: [...map.path, key.value] } };
    throw this.unsupported(second, 'in');
  }

  private term(expression: Expression): Term {
    switch (expression.kind) {
      case 'literal':
        return this.literal(expression);
      case 'identifier':
        return this.variable(expression, expression.name);
      case 'select':
        return this.selection(expression);
      case 'call':
        return this.call(expression);
      default:
        throw this.unsupported(expression);
    }
  }

  private literal(expression: Extract<Expression, { kind: 'literal' }>): Term {
    const { value } = expression;
    if (typeof value === 'bigint') return { kind: 'constant', value: Number(value) };
    if (value instanceof Uint) return { kind: 'constant', value: Number(value.value) };
    if (value instanceof Timestamp) return { kind: 'constant', value: Number(value.nanoseconds / 1000n) };
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return { kind: 'constant', value };
    throw this.unsupported(expression, 'constant');
  }

  private variable(expression: Expression, name: string): Term {
    const { constants, columns } = this.environment;
    const value = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (value !== undefined) return { kind: 'constant', value };
    const found = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (!found) throw this.unsupported(expression, 'select');
    const { column, type } = found;
    return type === 'json'
      ? { kind: 'json', column: column as JsonColumn, path: [] }
      : { kind: 'column', column, type };
  }

  private selection(expression: Extract<Expression, { kind: 'select' }>): Term {
    const { operand, field } = expression;
    if (operand.kind === 'identifier' && this.checked.typeOf(operand).kind === 'struct')
      return this.variable(expression, `${operand.name}.${field}`);
    return this.inside(expression, operand, field);
  }

  private inside(expression: Expression, operand: Expression, key: string | number): Term {
    const outer = this.term(operand);
    if (outer.kind !== 'json') throw this.unsupported(expression, 'select');
    return { ...outer, path: [...outer.path, key] };
  }

  private call(expression: Call): Term {
    const { name, target, args } = expression;
    const [first, second] = args;
    if (name === '_[_]' && first && second) {
      const index = this.term(second);
      const isKey = index.kind === 'constant' && (typeof index.value === 'string' || Number.isInteger(index.value));
      if (!isKey) throw this.unsupported(second, 'index');
      return this.inside(expression, first, index.value as string | number);
    }
    if (arithmetic.has(name) && first && second) {
      const isText = [expression, first, second].some((each) => this.checked.typeOf(each).kind === 'string');
      const [left, right] = [this.term(first), this.term(second)];
      if (name === '_+_' && isText) return { kind: 'concat', parts: [left, right] };
      return { kind: 'calculate', operator: name[1] as string, left, right };
    }
    if (name === 'timestamp' && first) return this.time(this.term(first));
    const part = dateParts[name];
    if (part && target && args.length === 0) {
      const of = this.term(target);
      return { kind: 'extract', part: part[0], of: of.kind === 'json' ? { kind: 'time', of } : of, minus: part[1] };
    }
    throw this.unsupported(expression, `\`${name}\` function`);
  }

  private time(of: Term): Term {
    if (of.kind !== 'constant') return { kind: 'time', of };
    const milliseconds = Date.parse(String(of.value));
    if (Number.isNaN(milliseconds))
      throw new FilterError(`invalid input syntax for type timestamp with time zone: "${of.value}"`);
    return { kind: 'constant', value: milliseconds * 1000 };
  }

  private isTime(expression: Expression): boolean {
    return this.checked.typeOf(expression).kind === 'timestamp';
  }

  /** Lines and columns as upstream counts them: the column from the start of the text. */
  private unsupported({ at }: Expression, what = ''): FilterError {
    const line = this.text.slice(0, at).split('\n').length;
    return new FilterError(`unsupported CEL ${what ? `${what} ` : ''}statement at line ${line}, column ${at}`);
  }
}
