/**
 * More than the kernel takes for a word and for all words of a program, 128 KiB and 6 MiB: variables that name others twice grow
 * faster than any memory.
 */
const longestText = 1024 * 1024;
const maxTotal = 8 * 1024 * 1024;

/** Words with their variables replaced; see {@link expand}. */
export function expandAll(words: readonly string[], variables: ReadonlyMap<string, string>): string[] {
  let total = 0;
  return words.map((word) => {
    const expanded = expand(word, variables);
    checkTogether((total += expanded.length));
    return expanded;
  });
}

/** Throws when that is more than a program can be given. */
export function checkTogether(characters: number): void {
  if (characters > maxTotal) throw new Error('argument list too long');
}

/**
 * Replaces `$(NAME)` by the variable's value. `$$` is a dollar sign; what names no variable stays as it is. Throws for what becomes
 * longer than any program can be given.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  if (!text.includes('$')) return text;
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
    if (result.length > longestText) throw new Error('argument list too long');
    i = end;
  }
  return result;
}
