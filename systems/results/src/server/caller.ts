import type { ServerRequest } from '@tektite/http';
import type { CallerHeaders } from '../access/access.ts';

/** The headers of a request, all values of each. */
export function callerOf(request: ServerRequest): CallerHeaders {
  const headers = new Map<string, string[]>();
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const values = headers.get(name);
    if (values) values.push(rawHeaders[at + 1] as string);
    else headers.set(name, [rawHeaders[at + 1] as string]);
  }
  return headers;
}

/** Aborted when the client closes the connection. */
export function goneSignal(request: ServerRequest): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new Error('the client closed the connection'));
  request.once('aborted', abort);
  request.stream?.once('close', abort);
  return gone.signal;
}
