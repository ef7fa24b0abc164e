/**
 * Replaces `$(NAME)` by the variable's value. `$$` is a dollar sign; what names no variable stays as it is.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char !== '$' || i + 1 >= text.length) {
      result += char;
      continue;
    }
    const next = text[i + 1];
    if (next === '$') {
      result += '$';
      i++;
      continue;
    }
    const end = next === '(' ? text.indexOf(')', i + 2) : -1;
    if (end < 0) {
      // A lone dollar, or an opening without an end: both stay.
      result += next === '(' ? '$(' : `$${next}`;
      i++;
      continue;
    }
    const name = text.slice(i + 2, end);
    result += variables.get(name) ?? `$(${name})`;
    i = end;
  }
  return result;
}
