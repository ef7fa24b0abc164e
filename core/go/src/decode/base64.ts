import { DecodeError } from '../json/decode-error.ts';

const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const digit = /[A-Za-z0-9+/]/;

/**
 * Base64 as Go decodes and encodes it again: line breaks are skipped, unused bits cleared. An error is a {@link
 * DecodeError} that names the byte.
 */
export function normalizeBase64(text: string): string {
  if (canonical.test(text)) return text;
  const position = findError(text);
  if (position !== undefined) throw new DecodeError(`illegal base64 data at input byte ${position}`);
  return Buffer.from(text.replace(/[\r\n]/g, ''), 'base64').toString('base64');
}

/** The position of Go's error, if any. */
function findError(text: string): number | undefined {
  let inQuantum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (isLineBreak(char)) continue;
    if (digit.test(char)) inQuantum = (inQuantum + 1) % 4;
    else if (char === '=') return findPaddingError(text, at, inQuantum);
    else return at;
  }
  return inQuantum === 0 ? undefined : text.length - inQuantum;
}

/** Padding may follow two digits, as `==`, or three, as `=`; nothing may follow it. */
function findPaddingError(text: string, start: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return start;
  let at = skipLineBreaks(text, start + 1);
  if (inQuantum === 2) {
    if (at === text.length) return at;
    if (text[at] !== '=') return at - 1;
    at = skipLineBreaks(text, at + 1);
  }
  return at < text.length ? at : undefined;
}

function skipLineBreaks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isLineBreak(text[at] as string)) at++;
  return at;
}

const isLineBreak = (char: string): boolean => char === '\n' || char === '\r';
