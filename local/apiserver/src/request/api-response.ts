import type { Duplex } from 'node:stream';
import type { KubeObject, ListMeta, Status } from '@tektite/meta';
import type { StoredEntry } from '../storage/storage.ts';

/** How objects are written. Protobuf has the built-in kinds alone. */
export type Media = 'json' | 'yaml' | 'protobuf';

/** One event of a watch. The object of a BOOKMARK has only a resourceVersion; that of an ERROR is a Status. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject | Status;
  /** The object as JSON, where the storage has that. */
  readonly json?: string;
}

/**
 * The events that a watch starts with, made one by one as the reader takes them: a reader that does not read holds references to
 * objects, no events and no text.
 */
export interface InitialEvents {
  /** How many are left. */
  readonly left: number;
  /** Whether the objects may be held for this reader alone, because the storage has newer ones or they are copies. */
  isOwner(): boolean;
  next(): WatchEvent | undefined;
}

/** Receives the events of a watch. */
export interface WatchReader {
  /** Called at most once, before any `push`. */
  begin(initial: InitialEvents): void;
  push(event: WatchEvent): void;
  /** There is no event after this. */
  end(): void;
}

/** A running watch. `start` is called once; `stop` ends the watch from the reader's side. */
export interface WatchSource {
  start(reader: WatchReader): void;
  stop(): void;
}

interface ResponseHead {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** A list of objects as they are in the storage. */
export interface StoredList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly entries: readonly StoredEntry[];
}

/**
 * An answer. Objects are not serialised here: an in-process caller gets them as they are. A client of another process gets the bytes
 * of the storage where these are the answer.
 */
export type ApiResponse = ResponseHead &
  (
    | { readonly type: 'object'; readonly object: unknown; readonly media: Media }
    | { readonly type: 'stored'; readonly entry: StoredEntry; readonly media: Media }
    | { readonly type: 'storedList'; readonly list: StoredList; readonly media: Media }
    | { readonly type: 'text'; readonly text: string; readonly contentType: string }
    | { readonly type: 'watch'; readonly source: WatchSource; readonly media: Media }
    | { readonly type: 'stream'; readonly stream: AsyncIterable<Uint8Array>; readonly contentType: string }
    /** The client asked to switch protocols, and may: the owner of the connection calls `connect` with its channels. */
    | {
        readonly type: 'upgrade';
        readonly streams: readonly SessionStream[];
        connect(channels: Channels): Promise<Status>;
      }
    /** The same for ports of a Pod. `ports` are those of the request: later protocols name them with each connection. */
    | ({ readonly type: 'portForward'; readonly ports: readonly number[] } & PortDialer)
    /** The same for a node of another machine: its kubelet speaks the client's protocol, and bytes pass as they are. */
    | { readonly type: 'tunnel'; open(signal: AbortSignal): Promise<TunnelEnd> }
  );

/** The far end of a tunnel. A server that does not switch protocols has answered as any other request. */
export type TunnelEnd =
  | { readonly socket: Duplex; readonly headers: Readonly<Record<string, string | readonly string[]>> }
  | { readonly refusal: ApiResponse };

/** Connects to ports of a Pod, as its own programs would on localhost. */
export interface PortDialer {
  /** Rejects with an error whose message is for the client. */
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
}

/** Streams that a client opens for a session, besides that of its status. */
export type SessionStream = 'stdin' | 'stdout' | 'stderr' | 'resize';

/** The streams of a terminal session, whatever carries them. */
export interface Channels {
  /** The input of the client. Ends when it closes its side. */
  readonly stdin: NodeJS.ReadableStream;
  /** Sends output. Where the client is behind, a promise that settles when it has caught up, or disconnected. */
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void> | undefined;
  /** The sizes of the terminal, as they come. */
  readonly sizes: AsyncIterable<TerminalSize>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}
