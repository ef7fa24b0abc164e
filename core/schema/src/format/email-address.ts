const atom = /[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\uffff]/;

/**
 * Whether a text is one mail address, with or without a display name, in the sense of Go's `mail.ParseAddress`:
 * `a@b`, `"quoted"@b`, `Barry Gibbs <bg@example.com>`.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > 65_536) return false;
  const trimmed = text.trim();
  if (isAddressSpec(trimmed)) return true;
  if (!trimmed.endsWith('>')) return false;
  const open = trimmed.lastIndexOf('<');
  if (open < 0) return false;
  return isPhrase(trimmed.slice(0, open)) && isAddressSpec(trimmed.slice(open + 1, -1).trim());
}

function isAddressSpec(text: string): boolean {
  const local = text.startsWith('"') ? quotedStringLength(text) : dotAtomLength(text, 0);
  if (local <= 0 || text[local] !== '@') return false;
  const domain = text.slice(local + 1);
  if (domain.startsWith('[')) return /^\[[^[\]\\\s]+\]$/.test(domain);
  return domain !== '' && dotAtomLength(domain, 0) === domain.length;
}

/** How long the run of atoms joined by single dots is; 0 when there is none or a dot stands wrong. */
function dotAtomLength(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text[at] === '.' || atom.test(text[at] as string))) at++;
  const run = text.slice(from, at);
  return run === '' || run.startsWith('.') || run.endsWith('.') || run.includes('..') ? 0 : at;
}

function quotedStringLength(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at > 1 ? at + 1 : 0;
  }
  return 0;
}

/** Words and quoted strings before the angle bracket; a dot may follow a word. */
function isPhrase(text: string): boolean {
  let rest = text.trim();
  while (rest !== '') {
    let length = 0;
    if (rest.startsWith('"')) length = quotedStringLength(rest);
    else while (length < rest.length && (rest[length] === '.' || atom.test(rest[length] as string))) length++;
    if (length === 0) return false;
    rest = rest.slice(length).trimStart();
  }
  return true;
}
