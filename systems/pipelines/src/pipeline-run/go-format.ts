/**
 * A text that upstream prints as if it was a format: what looks like a verb has no value to print, and says so.
 *
 * @example
 * printedAsFormat('100% sure') // 100%!s(MISSING)ure
 */
export function printedAsFormat(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%[-+# 0]*\d*(?:\.\d*)?(.|$)/gsu, (_, verb: string) => {
    if (verb === '') return '%!(NOVERB)';
    return verb === '%' ? '%' : `%!${verb}(MISSING)`;
  });
}
