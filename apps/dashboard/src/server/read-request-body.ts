import type { ServerRequest } from '@tektite/http';
import { denial } from './send.ts';

/** As large as the API server takes objects. */
const maxBytes = 3 * 1024 * 1024;

/** The body of a request, as it is. */
export async function readRequestBody(request: ServerRequest, limit = maxBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw denial(413, `the body is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
