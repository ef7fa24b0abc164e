import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy that logs users in: it names the user in a header of every request, WebSockets among them. */
export interface LoginProxy extends AsyncDisposable {
  readonly url: string;
  /** Nothing is added while it is empty. */
  user: string;
}

export async function loginProxy(target: string): Promise<LoginProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Duplex>();
  const pass = ({ method, url, headers }: IncomingMessage) => {
    const named = proxy.user ? { 'x-forwarded-user': proxy.user } : {};
    return request({ hostname, port, method, path: url, headers: { ...headers, ...named }, agent: false });
  };
  const server = createServer((incoming, outgoing) => {
    const passed = pass(incoming);
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.on('connection', (socket) => open.add(socket));
  server.on('upgrade', (incoming, socket: Duplex, head: Buffer) => {
    const passed = pass(incoming);
    passed.on('upgrade', (answer, upstream) => {
      open.add(upstream);
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
      for (const [one, other] of [
        [upstream, socket],
        [socket, upstream],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    passed.on('response', () => socket.destroy());
    passed.on('error', () => socket.destroy());
    passed.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: LoginProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user: '',
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
