import { isResolved } from './resolve-scalar.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const lineBreak = /[\n\r\u0085\u2028\u2029]/;
/** Characters that libyaml escapes; tabs and everything beyond the basic plane are among them. */
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * How libyaml writes a string: without quotes if nothing else could be read into it, as a block if it has several lines, in
 * quotes otherwise.
 *
 * @param isKey whether it is a key that must stand on one line
 */
export function scalarStyle(text: string, isKey: boolean): ScalarStyle {
  const hasBreaks = lineBreak.test(text);
  const hasSpecial = unprintable.test(text) || / [\n\r\u0085\u2028\u2029]/.test(text);
  const breakThenSpace = /[\n\r\u0085\u2028\u2029] /.test(text);
  if (text.includes('\n')) return isKey || hasSpecial || text.endsWith(' ') ? 'double' : 'literal';
  if (isResolved(text) || base60.test(text)) return 'double';
  if (hasSpecial || breakThenSpace || (isKey && hasBreaks)) return 'double';
  return isPlainAllowed(text) ? 'plain' : 'single';
}

function isPlainAllowed(text: string): boolean {
  if (text === '' || text.startsWith(' ') || text.endsWith(' ') || lineBreak.test(text)) return false;
  if (text.startsWith('---') || text.startsWith('...')) return false;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text)) return false;
  if (/^[?:-](?:[ \t]|$)/.test(text)) return false;
  return !/:(?:[ \t]|$)|[ \t]#/.test(text);
}
