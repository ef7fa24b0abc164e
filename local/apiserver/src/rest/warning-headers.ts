/** Texts are sent whole until they come to so many characters together; then each is cut short, and later ones are dropped. */
const maxTotal = 4096;
const maxShortened = 256;

/** Control characters and halves of surrogate pairs; a text with one of these is not sent at all. */
const unsendable = /[\p{Cc}\p{Cs}]/u;

/**
 * The values of the `Warning` headers for the texts, in order, each text once: as RFC 7234 has it, with the code that means
 * "miscellaneous, persistent".
 */
export function warningHeaders(texts: Iterable<string>): string[] {
  const recorded: string[] = [];
  let written = 0;
  let shortening = false;
  for (const text of new Set(texts)) {
    if (text === '' || (shortening && written >= maxTotal)) continue;
    recorded.push(text);
    if (unsendable.test(text)) continue;
    written += Math.min(lengthOf(text), shortening ? maxShortened : Number.POSITIVE_INFINITY);
    if (shortening || written <= maxTotal) continue;
    shortening = true;
    written = recorded.reduce((sum, earlier) => sum + Math.min(lengthOf(earlier), maxShortened), 0);
  }
  return recorded
    .map((text) => (shortening ? [...text].slice(0, maxShortened).join('') : text))
    .filter((text) => !unsendable.test(text))
    .map((text) => `299 - "${text.replaceAll(/[\\"]/g, '\\$&')}"`);
}

/** In characters as Go counts them, not in UTF-16 units. */
function lengthOf(text: string): number {
  return [...text].length;
}
