import { canonicalHeader } from '../http/canonical-header.ts';

export interface FoundExpression {
  /** With the dollar sign and the parentheses, as written. */
  readonly original: string;
  /** The path alone. The names of headers have their canonical form. */
  readonly path: string;
}

const header = 'header.';

/** The expressions `$(…)` of a text, up to the parenthesis that closes each. */
export function findExpressions(text: string): readonly FoundExpression[] {
  return text
    .split('$(')
    .slice(1)
    .flatMap((part) => {
      const end = closingParenthesis(part);
      if (end < 0) return [];
      const raw = part.slice(0, end);
      const path = raw.startsWith(header) ? header + canonicalHeader(raw.slice(header.length)) : raw;
      return [{ original: `$(${raw})`, path }];
    });
}

function closingParenthesis(part: string): number {
  let open = 0;
  for (let at = 0; at < part.length; at++) {
    if (part[at] === '(') open++;
    else if (part[at] === ')' && --open < 0) return at;
  }
  return -1;
}
