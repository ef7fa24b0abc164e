const verb = /%[+\-# 0]*(\*|\d*)(?:\.(\*|\d*))?(.)?/gsu;

/**
 * The result of Go's formatting for a text that is used as a format without arguments. Upstream does this with messages
 * of conditions, so a `%` in them has consequences: `100%d` becomes `100%!d(MISSING)`.
 */
export function formatWithoutArguments(text: string): string {
  return text.replaceAll(verb, (_, width: string, precision: string | undefined, letter: string | undefined) => {
    const bad = (width === '*' ? '%!(BADWIDTH)' : '') + (precision === '*' ? '%!(BADPREC)' : '');
    if (letter === undefined) return `${bad}%!(NOVERB)`;
    return bad + (letter === '%' ? '%' : `%!${letter}(MISSING)`);
  });
}
