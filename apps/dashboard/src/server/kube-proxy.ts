import { once } from 'node:events';
import type { Transport, TransportRequest } from '@tektite/client';
import type { RequestTarget, ServerRequest, ServerResponse } from '@tektite/http';
import { proxiedPath } from './proxied-path.ts';
import { readRequestBody } from './read-request-body.ts';
import { dataHeaders } from './security-headers.ts';
import { denial, sendJson } from './send.ts';

type Method = TransportRequest['method'];

const writes: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** Media types that a browser shows as text at most. */
const passedTypes = /^(?:application\/(?:[\w.+-]+\+)?json|text\/plain)\b/i;

/**
 * Passes a request to the API with the visitor's credentials. Of the request, only the method, path, query, body and two headers go
 * on: no header can name other credentials or another user.
 */
export async function proxyRequest(
  transport: Transport,
  target: RequestTarget,
  request: ServerRequest,
  response: ServerResponse,
  isReadOnly: boolean,
): Promise<void> {
  const path = proxiedPath(target.path);
  if (path === undefined) throw denial(404, 'the page does not pass on this path');
  const abort = new AbortController();
  response.once('close', () => abort.abort(new Error('the client left')));
  const passed = {
    path,
    query: target.query,
    accept: request.headers.accept ?? 'application/json',
    signal: abort.signal,
  };
  if (request.method === 'GET' || request.method === 'HEAD') return sendStream(transport, passed, request, response);
  const method = writes.find((each) => each === request.method);
  if (!method) throw denial(405, 'the method is not allowed');
  if (isReadOnly) throw denial(403, 'this page is read-only');
  const body = await readRequestBody(request);
  const answer = await transport.request({
    ...passed,
    method,
    ...(body.length > 0 ? { body, contentType: request.headers['content-type'] ?? 'application/json' } : {}),
  });
  const warnings = answer.headers.warning === undefined ? {} : { warning: answer.headers.warning };
  sendJson(response, answer.status, typeof answer.body === 'object' && answer.body ? answer.body : {}, warnings);
}

/** Lists can be large, and logs endless: bytes go through as they come. */
async function sendStream(
  transport: Transport,
  passed: Omit<TransportRequest, 'method'>,
  request: ServerRequest,
  response: ServerResponse,
): Promise<void> {
  const stream = await transport.stream({ ...passed, method: 'GET' });
  // Connections within the process have no content types.
  const type = stream.headers['content-type'] ?? (passed.path.endsWith('/log') ? 'text/plain' : 'application/json');
  response.writeHead(stream.status, {
    ...dataHeaders,
    'content-type': passedTypes.test(type) ? type : 'application/octet-stream',
  });
  if (request.method === 'HEAD') stream.close();
  else
    for await (const chunk of stream) {
      if (response.destroyed) break;
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  response.end();
}
