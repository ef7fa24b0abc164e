import { request } from 'undici';
import { badInput } from './bad-input.ts';

/** Nobody writes a pipeline of this size; whoever sends one does not mean well. */
const largest = 32 * 1024 * 1024;

/** What is at a URL, as text. */
export async function fetchText(url: string): Promise<string> {
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 30_000, bodyTimeout: 30_000 });
    if (statusCode !== 200) throw new Error(`the server answers ${statusCode}`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > largest) throw new Error(`it is larger than ${largest} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw badInput(`-f: ${url}: ${message || code}`);
  }
}
