/** Control characters other than tabs and line feeds, and marks that change the direction of text. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text in which nothing is hidden: invisible characters, which can show a text as another than it is, become their numbers. */
export function visibleText(text: string): string {
  return text.replace(
    invisible,
    (character) => `<${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
