import type { Transport, TransportRequest } from '@tektite/client';

/**
 * The bytes of a watch, or of a log. Events of a watch become lines again: between two parts of one process they are objects, without
 * any bytes.
 */
export async function openStream(
  transport: Transport,
  request: Omit<TransportRequest, 'method'>,
): Promise<AsyncIterable<Uint8Array>> {
  if (!isWatch(request.query)) return transport.stream({ ...request, method: 'GET' });
  return linesOf(await transport.watch({ ...request, method: 'GET' }));
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const event of events) yield Buffer.from(`${JSON.stringify(event)}\n`);
}

function isWatch(query: URLSearchParams | undefined): boolean {
  const value = query?.get('watch');
  return value === '1' || value === 'true';
}
