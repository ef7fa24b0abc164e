/** A text without the slashes at its end. No pattern: those take for ever with texts that are made for that. */
export function trimSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end--;
  return text.slice(0, end);
}
