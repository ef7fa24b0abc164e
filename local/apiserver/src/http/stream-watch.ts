import type { ServerResponse } from '@tektite/http';
import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import type { Connection } from './response-writer.ts';
import type { WatchEvent, WatchSource } from '../rest/api-request.ts';

/**
 * A watcher that lets so many bytes of news pile up is cut off: it can resume from its last revision, while the others and
 * the server's memory do not pay for it.
 */
const maxPendingBytes = 4 * 1024 * 1024;

/** About how much an event takes that waits: its object is that of the storage. */
const waitingEventBytes = 128;

/** How much is handed to a connection ahead of what it has sent. */
const maxBufferedBytes = 256 * 1024;

/** Sends the events of a watch, a line each, until either side ends it. */
export function streamWatch(
  response: ServerResponse,
  code: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  source: WatchSource,
  media: 'json' | 'yaml',
  connection: Connection,
  wait: (bytes: number) => Disposable,
): void {
  response.writeHead(code, headers as Record<string, string>);
  // HTTP/1.1 holds the head back until there is a body.
  (response as { flushHeaders?: () => void }).flushHeaders?.();
  new WatchStream(response, source, media, connection, wait).start();
}

/**
 * Events on their way to one client. What a watch starts with (all that exists, or all that the client missed) waits for
 * the client to read it, however long it is: it is held anyway. What happens from then on waits only within bounds.
 */
class WatchStream {
  private readonly response: ServerResponse;
  private readonly source: WatchSource;
  private readonly media: 'json' | 'yaml';
  private readonly connection: Connection;
  private readonly wait: (bytes: number) => Disposable;
  /** Counts this watch as slow while its client does not read. */
  private slow: Disposable | undefined;
  private waiting: (WatchEvent | string)[] = [];
  private next = 0;
  private pendingBytes = 0;
  private starting = true;
  private ended = false;

  constructor(
    response: ServerResponse,
    source: WatchSource,
    media: 'json' | 'yaml',
    connection: Connection,
    wait: (bytes: number) => Disposable,
  ) {
    this.response = response;
    this.source = source;
    this.media = media;
    this.connection = connection;
    this.wait = wait;
  }

  start(): void {
    this.connection.onClose = () => {
      this.slow?.[Symbol.dispose]();
      this.source.stop();
    };
    this.response.on('drain', () => this.drain());
    this.source.start(
      (event) => this.push(event),
      () => {
        this.ended = true;
        this.drain();
      },
    );
    this.starting = false;
    this.watchReader();
  }

  private push(event: WatchEvent): void {
    if (this.connection.closed) return;
    if (this.waiting.length === 0 && !this.isFull()) {
      this.response.write(encodeEvent(event, this.media));
      return;
    }
    if (this.starting) {
      this.waiting.push(event);
      return;
    }
    const text = encodeEvent(event, this.media);
    this.waiting.push(text);
    this.pendingBytes += text.length;
    this.slow ??= this.wait(text.length);
    if (this.pendingBytes > maxPendingBytes) {
      this.source.stop();
      this.waiting = [];
      this.response.destroy();
    }
  }

  private drain(): void {
    while (this.next < this.waiting.length && !this.isFull() && !this.connection.closed) {
      const item = this.waiting[this.next] as WatchEvent | string;
      // Sent is forgotten, so that a long start does not hold what has been deleted meanwhile.
      this.waiting[this.next++] = '';
      if (typeof item === 'string') this.pendingBytes -= item.length;
      this.response.write(typeof item === 'string' ? item : encodeEvent(item, this.media));
    }
    this.watchReader();
    if (this.next < this.waiting.length) return;
    this.waiting = [];
    this.next = 0;
    if (this.ended) this.response.end();
  }

  /** What a client has not read yet counts from its last progress. */
  private watchReader(): void {
    this.slow?.[Symbol.dispose]();
    const left = this.waiting.length - this.next;
    this.slow =
      left > 0 && !this.connection.closed ? this.wait(left * waitingEventBytes + this.pendingBytes) : undefined;
  }

  /** HTTP/1.1 responses come without a stream of their own. */
  private isFull(): boolean {
    return (this.response.stream ?? this.response).writableLength > maxBufferedBytes;
  }
}

function encodeEvent(event: WatchEvent, media: 'json' | 'yaml'): string {
  if (media === 'yaml') return `---\n${formatYaml(event)}`;
  return `{"type":"${event.type}","object":${encodeJson(event.object)}}\n`;
}
