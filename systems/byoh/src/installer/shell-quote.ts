/** A text as one word of a shell command, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
