/** Cuts bytes into lines of text, without their ends. The last line need not be complete. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest.push(first);
    if (others.length === 0) continue;
    yield withoutReturn(rest.join(''));
    const last = others.pop() ?? '';
    for (const line of others) yield withoutReturn(line);
    rest = [last];
  }
  const last = rest.join('') + decoder.decode();
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
