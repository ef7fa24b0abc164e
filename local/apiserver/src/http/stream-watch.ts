import type { Http2ServerResponse } from 'node:http2';
import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import type { Connection } from './http-server.ts';
import type { WatchEvent, WatchSource } from '../rest/api-request.ts';

/**
 * A watcher that lets so many bytes pile up is cut off: it can resume from its last revision, while the others and the
 * server's memory do not pay for it.
 */
const maxPendingBytes = 4 * 1024 * 1024;

/** Sends the events of a watch, a line each, until either side ends it. */
export function streamWatch(
  response: Http2ServerResponse,
  code: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  source: WatchSource,
  media: 'json' | 'yaml',
  connection: Connection,
): void {
  response.writeHead(code, headers as Record<string, string>);
  // HTTP/1.1 holds the head back until there is a body.
  (response as { flushHeaders?: () => void }).flushHeaders?.();
  const stop = () => source.stop();
  connection.onClose = stop;
  const push = (event: WatchEvent) => {
    if (connection.closed) return;
    response.write(encodeEvent(event, media));
    if (pendingBytes(response) > maxPendingBytes) {
      stop();
      response.destroy();
    }
  };
  source.start(push, () => response.end());
}

/** HTTP/1.1 responses come without a stream of their own. */
function pendingBytes(response: Http2ServerResponse): number {
  return (response.stream ?? response).writableLength;
}

function encodeEvent(event: WatchEvent, media: 'json' | 'yaml'): string {
  if (media === 'yaml') return `---\n${formatYaml(event)}`;
  return `{"type":"${event.type}","object":${encodeJson(event.object)}}\n`;
}
