import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { webFetch } from './web-fetch.ts';

afterEach(() => void vi.unstubAllEnvs());

it('a server is asked through the proxy of the environment, and this machine never', async () => {
  const tunnels: string[] = [];
  const server = createServer((request, response) => response.end(`${request.headers.host}`));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket);
      socket.pipe(target);
    });
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  vi.stubEnv('HTTP_PROXY', `127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  expect(await (await webFetch('http://somewhere.test/x')).text()).toBe('somewhere.test');
  expect(await (await webFetch(`http://127.0.0.1:${port}/x`)).text()).toBe(`127.0.0.1:${port}`);
  vi.stubEnv('NO_PROXY', '.test');
  await expect(webFetch('http://somewhere.test/x')).rejects.toThrow('fetch failed');
  expect(tunnels).toEqual(['somewhere.test:80']);
  for (const each of [server, proxy]) {
    each.closeAllConnections();
    each.close();
  }
});
