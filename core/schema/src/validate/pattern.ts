import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | string>();
const maxCompiled = 1000;

/**
 * A regular expression in Go's syntax, which takes time in proportion to the text; or the reason why it is none.
 * Patterns come from users, so they never become a RegExp.
 */
export function compilePattern(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compile(pattern);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(pattern, result);
  return result;
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
