import { compilePattern } from '@tektite/schema';
import { parseTimestamp } from '../wire/json.ts';
import type { Comparison, Condition, DatePart, JsonColumn, Term } from './condition.ts';

/** A row, as far as filters read it. */
export interface FilteredRow {
  column(name: string): string | number | undefined;
  json(column: JsonColumn): unknown;
}

type Known = boolean | undefined;
type Scalar = string | number | boolean | undefined;

/** Whether a row is listed. Unknown is not. */
export function matches(condition: Condition, row: FilteredRow): boolean {
  return test(condition, row) === true;
}

function test(condition: Condition, row: FilteredRow): Known {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return combine(condition.kind === 'or', condition.of, row);
    case 'not': {
      const known = test(condition.of, row);
      return known === undefined ? undefined : !known;
    }
    case 'compare':
      return compare(condition.operator, value(condition.left, row), value(condition.right, row));
    case 'in': {
      const left = value(condition.term, row);
      if (left === undefined) return undefined;
      return condition.options.some((option) => compare('=', left, value(option, row)) === true);
    }
    case 'present':
      return value(condition.term, row) !== undefined;
    case 'isTrue': {
      const flag = value(condition.term, row);
      return flag === undefined ? undefined : flag === true || flag === 'true';
    }
    case 'text':
      return textTest(condition, row);
  }
}

function combine(decisive: boolean, conditions: readonly Condition[], row: FilteredRow): Known {
  let isUnknown = false;
  for (const each of conditions) {
    const known = test(each, row);
    if (known === decisive) return decisive;
    if (known === undefined) isUnknown = true;
  }
  return isUnknown ? undefined : !decisive;
}

function textTest({ test: name, term, argument }: Extract<Condition, { kind: 'text' }>, row: FilteredRow): Known {
  const [text, other] = [value(term, row), value(argument, row)];
  if (text === undefined || other === undefined) return undefined;
  const [left, right] = [String(text), String(other)];
  if (name === 'contains') return left.includes(right);
  if (name === 'startsWith') return left.startsWith(right);
  if (name === 'endsWith') return left.endsWith(right);
  const pattern = compilePattern(right);
  return typeof pattern === 'string' ? undefined : pattern.matcher(left).find();
}

function compare(operator: Comparison, left: Scalar, right: Scalar): Known {
  if (left === undefined || right === undefined) return undefined;
  const [a, b] = typeof left === typeof right ? [left, right] : aligned(left, right);
  if (a === undefined || b === undefined) return undefined;
  switch (operator) {
    case '=':
      return a === b;
    case '<>':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
}

/** JSON is text for a filter; next to a number it is one, if it is one. */
function aligned(left: Scalar, right: Scalar): readonly [Scalar, Scalar] {
  if (typeof left === 'number' || typeof right === 'number') return [numberOf(left), numberOf(right)];
  return [String(left), String(right)];
}

function numberOf(scalar: Scalar): number | undefined {
  if (typeof scalar === 'number') return scalar;
  const number = typeof scalar === 'string' && scalar.trim() !== '' ? Number(scalar) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}

function value(term: Term, row: FilteredRow): Scalar {
  switch (term.kind) {
    case 'constant':
      return term.value ?? undefined;
    case 'column':
      return row.column(term.column);
    case 'json':
      return jsonText(row.json(term.column), term.path);
    case 'time': {
      const text = value(term.of, row);
      return typeof text === 'string' ? parseTimestamp(text) : undefined;
    }
    case 'concat':
      return term.parts.map((part) => value(part, row) ?? '').join('');
    case 'calculate':
      return calculate(term.operator, numberOf(value(term.left, row)), numberOf(value(term.right, row)));
    case 'extract': {
      const micros = value(term.of, row);
      return typeof micros === 'number' ? datePart(term.part, new Date(micros / 1000)) - term.minus : undefined;
    }
  }
}

/** As PostgreSQL's `->>`: texts as they are, everything else as JSON. */
export function jsonText(json: unknown, path: readonly (string | number)[]): string | undefined {
  let at = json;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) !== (typeof key === 'number')) return undefined;
    at = Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : undefined;
  }
  if (at === undefined || at === null) return undefined;
  return typeof at === 'string' ? at : JSON.stringify(at);
}

function calculate(operator: string, a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  const result = operator === '/' ? a / b : a % b;
  return Number.isFinite(result) ? result : undefined;
}

function datePart(part: DatePart, date: Date): number {
  if (part === 'DAY') return date.getUTCDate();
  if (part === 'DOW') return date.getUTCDay();
  if (part === 'YEAR') return date.getUTCFullYear();
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}
