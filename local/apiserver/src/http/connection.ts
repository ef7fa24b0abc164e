import type { Duplex } from 'node:stream';
import type { ServerRequest, StreamExchange } from '@tektite/http';

/** A request of HTTP/1.1, or of a stream of HTTP/2. */
export type IncomingRequest = Pick<
  StreamExchange,
  'method' | 'url' | 'headers' | 'on' | 'once' | 'off' | 'pause' | 'resume' | 'destroy'
> &
  Partial<Pick<StreamExchange, 'stream' | 'hasBody'> & Pick<ServerRequest, 'socket'>>;

/** Its answer. */
export type OutgoingResponse = Pick<
  StreamExchange,
  'headersSent' | 'writableLength' | 'writableNeedDrain' | 'writeHead' | 'write' | 'end' | 'destroy' | 'on' | 'once'
> & { readonly stream?: Duplex };

/** Whether the client is still there, and the action when it goes. */
export interface Connection {
  closed: boolean;
  onClose?: () => void;
}
