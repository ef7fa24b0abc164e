import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ClientConfig } from '../config/client-config.ts';

export type Behaviour = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;

/** A real HTTP server with faults that a test chooses. */
export interface FaultServer extends AsyncDisposable {
  readonly config: ClientConfig;
  /** `METHOD /path?query` of all requests so far. */
  readonly requests: readonly string[];
  readonly openSockets: number;
  /** Answers that neither side has ended. */
  readonly openResponses: number;
}

export async function startFaultServer(behave: Behaviour): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let openResponses = 0;
  const server: Server = createServer((request, response) => {
    openResponses++;
    response.on('close', () => openResponses--);
    requests.push(`${request.method} ${request.url}`);
    behave(request, response, requests.length);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    config: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, namespace: 'default' },
    requests,
    get openSockets() {
      return sockets.size;
    },
    get openResponses() {
      return openResponses;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers with a Status of that code. */
export function failure(
  response: ServerResponse,
  code: number,
  more: object = {},
  headers: Record<string, string> = {},
): void {
  json(response, code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, ...more }, headers);
}

/** Begins a watch and sends these events, without ending it. */
export function events(response: ServerResponse, ...list: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  for (const event of list) response.write(`${JSON.stringify(event)}\n`);
}

export function configMapEvent(type: string, name: string, resourceVersion: string): object {
  return { type, object: configMap(name, resourceVersion) };
}

export function configMap(name: string, resourceVersion: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion },
  };
}

export function configMapList(resourceVersion: string, ...items: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion }, items };
}
