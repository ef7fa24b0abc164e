import type { Clock, Status } from '@tektite/meta';
import { connectionStatus, type StreamReader } from './kube-api.ts';

/** The part of a WebSocket that is used. */
export interface Socket {
  binaryType: string;
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

interface OpenStream {
  readonly path: string;
  readonly reader: StreamReader;
}

interface EndMessage {
  readonly end?: number;
  readonly status?: Status;
}

const idleMs = 30_000;

/**
 * All streams of the page on one WebSocket. It is opened with the first stream, closed a while after the last, and opened again with
 * the next; when it breaks, every stream ends with a Status, and its reader opens it again when it is ready to.
 */
export class StreamConnection {
  private readonly connect: () => Socket;
  private readonly clock: Clock;
  private readonly streams = new Map<number, OpenStream>();
  private socket: Socket | undefined;
  private isOpen = false;
  private nextId = 1;
  private idleTimer: Disposable | undefined;

  constructor(connect: () => Socket, clock: Clock) {
    this.connect = connect;
    this.clock = clock;
  }

  open(path: string, reader: StreamReader): () => void {
    const id = this.nextId++;
    this.streams.set(id, { path, reader });
    this.idleTimer?.[Symbol.dispose]();
    if (!this.socket) this.openSocket();
    else if (this.isOpen) this.socket.send(JSON.stringify({ open: id, path }));
    return () => {
      if (!this.streams.delete(id)) return;
      if (this.isOpen) this.socket?.send(JSON.stringify({ close: id }));
      this.closeWhenIdle();
    };
  }

  /** Ends all streams. */
  close(): void {
    this.idleTimer?.[Symbol.dispose]();
    this.streams.clear();
    this.socket?.close();
  }

  private openSocket(): void {
    const socket = this.connect();
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.isOpen = true;
      for (const [id, { path }] of this.streams) socket.send(JSON.stringify({ open: id, path }));
    });
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.end(JSON.parse(data) as EndMessage);
      else this.receive(data as ArrayBuffer);
    });
    socket.addEventListener('close', () => {
      this.isOpen = false;
      this.socket = undefined;
      const cut = [...this.streams.values()];
      this.streams.clear();
      for (const { reader } of cut) reader.onEnd(connectionStatus('the connection was cut'));
    });
  }

  private receive(data: ArrayBuffer): void {
    const id = new DataView(data).getUint32(0);
    this.streams.get(id)?.reader.onData(new Uint8Array(data, 4));
  }

  private end({ end: id, status }: EndMessage): void {
    const stream = id === undefined ? undefined : this.streams.get(id);
    if (id === undefined || !stream) return;
    this.streams.delete(id);
    stream.reader.onEnd(status);
    this.closeWhenIdle();
  }

  private closeWhenIdle(): void {
    this.idleTimer?.[Symbol.dispose]();
    if (this.streams.size > 0) return;
    this.idleTimer = this.clock.setTimer(idleMs, () => {
      if (this.streams.size === 0) this.socket?.close();
    });
  }
}
