import type { InitialEvents, Media, WatchEvent, WatchReader, WatchSource } from '../request/api-response.ts';
import { encodeEvent, encodeSharedEvent } from './encode-event.ts';
import type { Connection, OutgoingResponse } from './connection.ts';
import type { InTurn } from './turns.ts';
import type { SlowReader } from './slow-readers.ts';

/**
 * A watcher that lets so many bytes of events pile up is cut off: it can resume from its last revision, while other watchers and
 * the server's memory do not pay for it.
 */
const maxPendingBytes = 4 * 1024 * 1024;

/** A reference to an object of the storage. */
const referenceBytes = 8;

/** How much is handed to a connection ahead of what it has sent. */
const maxBufferedBytes = 64 * 1024;

/** Counts a response as slow, with the bytes it holds. */
type Wait = (held: () => number) => SlowReader;

/** Sends the events of a watch, a line each, until either side ends it. */
export function streamWatch(
  response: OutgoingResponse,
  code: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  source: WatchSource,
  media: Media,
  connection: Connection,
  wait: Wait,
  inTurn: InTurn,
): void {
  response.writeHead(code, headers as Record<string, string>);
  // HTTP/1.1 holds the head back until there is a body.
  (response as { flushHeaders?: () => void }).flushHeaders?.();
  new WatchStream(response, source, media, connection, wait, inTurn).start();
}

/**
 * Events on their way to one client. The initial events are encoded when the client has read the ones before, however long that
 * takes. Later events wait within bounds, as lines that watchers share.
 */
class WatchStream implements WatchReader {
  private readonly response: OutgoingResponse;
  private readonly source: WatchSource;
  private readonly media: Media;
  private readonly connection: Connection;
  private readonly wait: Wait;
  private readonly inTurn: InTurn;
  /** Counts this watch as slow while its client does not read. */
  private slow: SlowReader | undefined;
  private initial: InitialEvents | undefined;
  private initialSent = { events: 0, bytes: 0 };
  private waiting: Buffer[] = [];
  private next = 0;
  private pendingBytes = 0;
  private ended = false;

  constructor(
    response: OutgoingResponse,
    source: WatchSource,
    media: Media,
    connection: Connection,
    wait: Wait,
    inTurn: InTurn,
  ) {
    this.response = response;
    this.source = source;
    this.media = media;
    this.connection = connection;
    this.wait = wait;
    this.inTurn = inTurn;
  }

  start(): void {
    this.connection.onClose = () => {
      this.slow?.[Symbol.dispose]();
      this.initial = undefined;
      this.waiting = [];
      this.source.stop();
    };
    this.response.on('drain', () => this.drainInTurn());
    this.source.start(this);
  }

  begin(initial: InitialEvents): void {
    this.initial = initial;
    this.drainInTurn();
  }

  push(event: WatchEvent): void {
    if (this.connection.closed) return;
    const line = encodeSharedEvent(event, this.media);
    if (!this.initial && this.waiting.length === 0 && !this.isFull()) {
      this.response.write(line);
      return;
    }
    this.waiting.push(line);
    this.pendingBytes += line.length;
    if (this.pendingBytes > maxPendingBytes) {
      this.source.stop();
      this.response.destroy();
    } else if (this.slow) this.slow.measure();
    else this.slow = this.wait(this.held);
  }

  end(): void {
    this.ended = true;
    this.drain();
  }

  /** A watch whose events cannot be encoded ends. */
  private drainInTurn(): void {
    this.inTurn(() => this.drain()).catch(() => this.response.destroy());
  }

  private drain(): void {
    if (this.connection.closed) return;
    this.slow?.[Symbol.dispose]();
    this.slow = undefined;
    this.drainInitial();
    while (!this.initial && this.next < this.waiting.length && !this.isFull()) {
      const line = this.waiting[this.next] as Buffer;
      this.waiting[this.next++] = empty;
      this.pendingBytes -= line.length;
      this.response.write(line);
    }
    if (this.initial || this.next < this.waiting.length) {
      this.slow = this.wait(this.held);
      return;
    }
    this.waiting = [];
    this.next = 0;
    if (this.ended) this.response.end();
  }

  private drainInitial(): void {
    while (this.initial && !this.isFull()) {
      const event = this.initial.next();
      if (!event) {
        this.initial = undefined;
        return;
      }
      const line = encodeEvent(event, this.media);
      this.initialSent.events++;
      this.initialSent.bytes += line.length;
      this.response.write(line);
    }
  }

  /** Objects of the storage cost a reference, unless the storage would have forgotten them: then they count as their text does. */
  private readonly held = (): number => {
    const { initial, initialSent } = this;
    let bytes = this.pendingBytes + this.bufferedBytes();
    if (initial) {
      const each = initial.isOwner() ? initialSent.bytes / Math.max(1, initialSent.events) : 0;
      bytes += initial.left * (referenceBytes + each);
    }
    return bytes;
  };

  private isFull(): boolean {
    return this.bufferedBytes() > maxBufferedBytes;
  }

  /** HTTP/1.1 responses have no separate stream. */
  private bufferedBytes(): number {
    return (this.response.stream ?? this.response).writableLength;
  }
}

const empty = Buffer.alloc(0);
