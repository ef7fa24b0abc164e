/** Bytes or text of a literal, without quotes and escapes; a string in an object says what is wrong with it. */
export function unescapeLiteral(literal: string, isBytes: boolean): { text: string } | { error: string } {
  const raw = /^[rR]/.test(literal);
  const quoted = raw ? literal.slice(1) : literal;
  const long = quoted.startsWith('"""') || quoted.startsWith("'''");
  const body = long ? quoted.slice(3, -3) : quoted.slice(1, -1);
  const text = body.replaceAll(/\r\n?/g, '\n');
  if (raw || !text.includes('\\')) return { text };
  return unescape(text, isBytes);
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

function unescape(text: string, isBytes: boolean): { text: string } | { error: string } {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      result += text[i];
      continue;
    }
    const rest = text.slice(i + 1);
    const char = rest[0] ?? '';
    if (Object.hasOwn(simple, char)) {
      result += simple[char];
      i += 1;
      continue;
    }
    const match = /^(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/.exec(rest);
    if (!match) return { error: 'unable to unescape string' };
    const [, byte, short, long, octal] = match;
    if (isBytes && (short ?? long)) return { error: 'unable to unescape string' };
    const code =
      octal === undefined ? Number.parseInt((byte ?? short ?? long) as string, 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return { error: 'invalid unicode code point' };
    result += String.fromCodePoint(code);
    i += match[0].length;
  }
  return { text: result };
}

/** The bytes of a literal: escapes above are single bytes, all else is UTF-8. */
export function literalBytes(literal: string): { bytes: Uint8Array } | { error: string } {
  const raw = /^[rR]/.test(literal);
  if (raw || !literal.includes('\\')) {
    const plain = unescapeLiteral(literal, true);
    return 'error' in plain ? plain : { bytes: new TextEncoder().encode(plain.text) };
  }
  const bytes: number[] = [];
  const quotes = /^("""|'''|"|')/.exec(literal)?.[0].length ?? 1;
  const body = literal.slice(quotes, -quotes);
  for (const piece of body.split(/(\\(?:[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|.))/s)) {
    const hex = /^\\[xX]([0-9a-fA-F]{2})$/.exec(piece);
    const octal = /^\\([0-3][0-7]{2})$/.exec(piece);
    if (hex) bytes.push(Number.parseInt(hex[1] as string, 16));
    else if (octal) bytes.push(Number.parseInt(octal[1] as string, 8));
    else {
      const part = piece.startsWith('\\') ? unescape(piece, true) : { text: piece };
      if ('error' in part) return part;
      for (const byte of new TextEncoder().encode(part.text)) bytes.push(byte);
    }
  }
  return { bytes: Uint8Array.from(bytes) };
}
