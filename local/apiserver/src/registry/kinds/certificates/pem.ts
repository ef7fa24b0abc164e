/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const pattern = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)\n?-----END \1-----/g;

/** The blocks of a PEM text; what is between them is skipped, as is what cannot be read. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, type = '', content = ''] of text.matchAll(pattern)) {
    const headers = /^(?:[^\n:]+:[^\n]*\n)+\r?\n?/.exec(content)?.[0] ?? '';
    const base64 = content.slice(headers.length).replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) continue;
    blocks.push({ type, hasHeaders: headers !== '', bytes: Buffer.from(base64, 'base64') });
  }
  return blocks;
}
