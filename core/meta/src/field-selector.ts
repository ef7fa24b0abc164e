import { SelectorError } from './label-requirement.ts';

/** One condition of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A field selector ready to be asked; a field that is absent counts as the empty string. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly isEmpty: boolean;
  matches(fields: Readonly<Record<string, string>>): boolean;
  /** The value the selector pins the field to, if it does. */
  exactValue(field: string): string | undefined;
  toString(): string;
}

export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    isEmpty: requirements.length === 0,
    matches: (fields) =>
      requirements.every(({ field, operator, value }) => {
        const actual = Object.hasOwn(fields, field) ? fields[field] : '';
        return (actual === value) === (operator === '=');
      }),
    exactValue: (name) => requirements.find(({ field, operator }) => operator === '=' && field === name)?.value,
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(','),
  };
}

/**
 * Reads `?fieldSelector=`. Which fields a kind can select by is for the caller to check. Throws a
 * {@link SelectorError}.
 *
 * @example
 * parseFieldSelector('metadata.name=web,status.phase!=Running').exactValue('metadata.name') // web
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const match = /!=|==|=/.exec(term);
    if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    requirements.push({
      field: term.slice(0, match.index),
      operator: match[0] === '!=' ? '!=' : '=',
      value: unescapeFieldValue(term.slice(match.index + match[0].length)),
    });
  }
  return fieldSelectorOf(requirements);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** A literal made safe to stand as a value in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, '\\$&');
}

function unescapeFieldValue(text: string): string {
  let value = '';
  const chars = Array.from(text);
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === '\\') {
      const escaped = chars[++i];
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped ?? ''}`);
      value += escaped;
    } else if (char === ',' || char === '=') {
      // Upstream prints the number of the character, not the character.
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else value += char;
  }
  return value;
}
