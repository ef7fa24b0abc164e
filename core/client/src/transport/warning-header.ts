/**
 * The texts of `Warning` headers with code 299, as the API server sends them: `299 - "text"`, several of them in several
 * headers or separated by commas. What does not look like that is left out.
 */
export function parseWarnings(headers: readonly string[]): string[] {
  return headers.flatMap(parseWarningHeader);
}

const start = /^[\s,]*(\d{3})\s+([^\s"]+)\s+"/;

function parseWarningHeader(header: string): string[] {
  const texts: string[] = [];
  let rest = header;
  for (let match = start.exec(rest); match; match = start.exec(rest)) {
    const quoted = readQuoted(rest, match[0].length);
    if (!quoted) break;
    if (match[1] === '299' && quoted.text !== '') texts.push(quoted.text);
    // An optional date may follow.
    rest = rest.slice(quoted.end).replace(/^\s*"[^"]*"/, '');
  }
  return texts;
}

function readQuoted(text: string, from: number): { text: string; end: number } | undefined {
  let result = '';
  for (let i = from; i < text.length; i++) {
    const character = text[i] as string;
    if (character === '"') return { text: result, end: i + 1 };
    if (character === '\\') result += text[++i] ?? '';
    else result += character;
  }
  return undefined;
}
