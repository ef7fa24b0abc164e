import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError } from '@tektite/meta';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { ApiRequest } from '../request/api-request.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { denyForeignPage } from './foreign-page.ts';
import { forwardChannels } from './forward-channels.ts';
import { forwardStreams } from './forward-streams.ts';
import { channelProtocols, sessionProtocols, streamProtocols, tunnelProtocol } from './session-protocol.ts';
import { openTunnel } from './tunnel.ts';
import { failure, refuse } from './refuse-upgrade.ts';
import { runSocketSession } from './socket-session.ts';
import { sendStream } from './socket-stream.ts';
import { portForwardProtocols, runSpdySession, spdySessionProtocols } from './spdy-session.ts';

/**
 * More than a terminal ever sends at once; it bounds the memory of a client that types faster than the container reads.
 */
const maxMessageBytes = 1024 * 1024;
const sessions = socketServer(sessionProtocols);
const streams = socketServer(streamProtocols);
const channels = socketServer(channelProtocols);
const tunnels = tunnelServer();

function socketServer(protocols: readonly string[]): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
}

/** The name of the protocol has a slash, which WebSockets do not allow and `ws` denies. kubectl uses it all the same. */
function tunnelServer(): WebSocketServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  server.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${tunnelProtocol}`));
  return server;
}

/**
 * Answers a request to switch protocols: with a WebSocket or with SPDY if the server agrees, otherwise as any other request.
 * Recent clients use WebSockets; kubectl before 1.31 and many programs use SPDY.
 */
export async function answerUpgrade(
  request: ApiRequest,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    denyForeignPage(incoming, true);
  } catch (error) {
    return refuse(socket, failure(error as StatusError));
  }
  const answer = await handle(request);
  if (answer.type === 'tunnel') return openTunnel(answer, socket, head);
  if (!switches(answer)) return refuse(socket, answer);
  if (incoming.headers.upgrade?.toLowerCase() === 'spdy/3.1') return answerSpdy(answer, incoming, socket, head);
  const offered = incoming.headers['sec-websocket-protocol'];
  if (answer.type === 'portForward' && namesIn(offered).includes(tunnelProtocol)) {
    delete incoming.headers['sec-websocket-protocol'];
    tunnels.handleUpgrade(incoming, socket, head, (connection) => {
      connection.on('error', () => connection.terminate());
      void forwardStreams(createWebSocketStream(connection), answer);
    });
    return;
  }
  const [server, protocols] = socketsOf(answer);
  const problem = protocolProblem(offered, protocols);
  if (problem) return refuse(socket, failure(problem));
  server.handleUpgrade(incoming, socket, head, (connection) => {
    if (answer.type === 'upgrade') void runSocketSession(connection, answer.connect);
    else if (answer.type === 'stream') void sendStream(connection, answer.stream);
    else void forwardChannels(connection, answer);
  });
}

function socketsOf({ type }: Switching): [WebSocketServer, readonly string[]] {
  if (type === 'upgrade') return [sessions, sessionProtocols];
  return type === 'stream' ? [streams, streamProtocols] : [channels, channelProtocols];
}

type Switching = Extract<ApiResponse, { type: 'upgrade' | 'portForward' | 'stream' }>;

function switches(answer: ApiResponse): answer is Switching {
  return (
    answer.type === 'upgrade' || answer.type === 'portForward' || (answer.type === 'stream' && answer.code === 200)
  );
}

function answerSpdy(answer: Switching, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const header = 'x-stream-protocol-version';
  // Node.js joins headers of one name.
  const offered = incoming.headers[header];
  const text = Array.isArray(offered) ? offered.join(',') : offered;
  if (answer.type === 'stream') return refuse(socket, failure(badUpgrade('SPDY/3.1')));
  const protocols = answer.type === 'portForward' ? portForwardProtocols : spdySessionProtocols;
  const problem = protocolProblem(text, protocols);
  if (problem) return refuse(socket, failure(problem));
  const names = namesIn(text);
  const protocol = protocols.find((name) => names.includes(name)) ?? '';
  const lines = ['HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: SPDY/3.1'];
  if (protocol !== '') lines.push(`${header}: ${protocol}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  if (answer.type === 'portForward') void forwardStreams(socket, answer);
  else void runSpdySession(socket, answer, protocol);
}

function namesIn(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim());
}

/** A client that names no protocol gets the oldest. */
function protocolProblem(header: string | undefined, protocols: readonly string[]): StatusError | undefined {
  const offered = namesIn(header);
  if (offered.includes('') || protocols.some((protocol) => offered.includes(protocol))) return undefined;
  const message = `unable to upgrade: no protocol of ${JSON.stringify(offered)} is supported; there are ${protocols.join(', ')}`;
  return new StatusError({ code: 403, reason: 'Forbidden', message });
}

function badUpgrade(protocol: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message: `unable to upgrade to ${protocol}` });
}
