import type { JsonPathStep } from './json-path-step.ts';
import {
  children,
  compare,
  type Comparison,
  descendants,
  filter,
  literal,
  member,
  slice,
  union,
} from './json-path-steps.ts';

/** A JSON path that cannot be read. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

const name = /(?:\\.|[^\\\s.,[\]$@{}])*/y;
const filterText = /\[\?\(((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)"'])*)\)\]/y;
const brackets = /\[([^\]\n]*)\]/y;
const quoted = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/y;
const number = /[+-]?\d[\d.]*/y;
const quotedKey = /^'([^']*)'$/;
const sliceText = /^(-?\d*)(?:(:-?\d*))?(?:(:-?\d*))?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s;
const comparisons: readonly string[] = ['<', '>', '==', '!=', '<=', '>='] satisfies Comparison[];

/** Reads the inside of `{…}`: what CRDs write as `jsonPath`. */
export function parseJsonPath(text: string): JsonPathStep[] {
  const steps: JsonPathStep[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match ?? undefined;
  };
  const takeField = () => {
    const field = take(name)?.[0] ?? '';
    steps.push(field === '*' ? children : member(field.replaceAll('\\', '')));
  };
  while (at < text.length) {
    const rest = text[at] as string;
    if (rest === ' ' || rest === '@' || rest === '$') at++;
    else if (text.startsWith('[?(', at)) {
      const match = take(filterText);
      if (!match) throw new JsonPathError('unterminated filter');
      steps.push(parseFilter(match[1] as string));
    } else if (text.startsWith('..', at)) {
      at += 2;
      steps.push(descendants);
      if (/[\p{L}\p{Nd}_]/u.test(text[at] ?? '')) takeField();
    } else if (rest === '.') {
      at++;
      takeField();
    } else if (rest === '[') {
      const match = take(brackets);
      if (!match) throw new JsonPathError('unterminated array');
      steps.push(...parseBrackets(match[1] as string));
    } else if (rest === '"' || rest === "'") {
      const match = take(quoted);
      if (!match) throw new JsonPathError('unterminated quoted string');
      steps.push(literal((match[1] ?? match[2] ?? '').replace(/\\(.)/gs, '$1')));
    } else if (/[+\-\d]/.test(rest)) steps.push(literal(Number(take(number)?.[0])));
    else if (text.startsWith('true', at) || text.startsWith('false', at))
      steps.push(literal(take(name)?.[0] === 'true'));
    else throw new JsonPathError(`unrecognized character in action: ${rest}`);
  }
  return steps;
}

function parseFilter(text: string): JsonPathStep {
  const match = comparison.exec(text);
  if (!match) return filter((item) => parseFilterSide(text)([item]).length > 0);
  const [, left = '', operator = '', right = ''] = match;
  if (!comparisons.includes(operator)) throw new JsonPathError(`unrecognized filter operator ${operator}`);
  return filter(compare(parseFilterSide(left), operator as Comparison, parseFilterSide(right)));
}

function parseFilterSide(text: string): JsonPathStep {
  const steps = parseJsonPath(text);
  return (values) => steps.reduce<unknown[]>((found, step) => step(found), [...values]);
}

function parseBrackets(text: string): JsonPathStep[] {
  if (text.includes(',')) {
    const parts = text.split(',').map((part) => parseBrackets(part.trim()));
    return [union(parts)];
  }
  const key = quotedKey.exec(text)?.[1];
  if (key !== undefined) return parseJsonPath(`.${key}`);
  const match = sliceText.exec(text === '*' ? ':' : text);
  if (!match) throw new JsonPathError(`invalid array index ${text}`);
  const [, start = '', end, step] = match;
  const known = (part: string | undefined) => (part === undefined || part === ':' ? undefined : Number(part.slice(1)));
  const first = start === '' ? 0 : Number(start);
  return [slice(first, end === undefined ? 'one' : known(end), known(step))];
}
