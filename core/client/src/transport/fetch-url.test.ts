import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { fetchUrl } from './fetch-url.ts';

async function serve(listener: RequestListener): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close };
}

const { signal } = new AbortController();
const headers = { Authorization: 'Basic eDp5', 'PRIVATE-TOKEN': 'secret', Accept: 'text/plain' };

it('takes credentials along on the same server, and to no other, whatever they are called', async () => {
  const seen: IncomingHttpHeaders[] = [];
  await using other = await serve((request, response) => {
    seen.push(request.headers);
    response.end('other');
  });
  await using server = await serve((request, response) => {
    const to = { '/here': '/there', '/away': `${other.origin}/x` }[request.url ?? ''];
    if (to !== undefined) return void response.writeHead(302, { location: to }).end();
    seen.push(request.headers);
    response.end('here');
  });
  const here = await fetchUrl(`${server.origin}/here`, { signal, headers });
  expect([await here.text(), here.url]).toEqual(['here', `${server.origin}/there`]);
  expect(await (await fetchUrl(`${server.origin}/away`, { signal, headers })).text()).toBe('other');
  expect(seen).toEqual([
    expect.objectContaining({ authorization: 'Basic eDp5', 'private-token': 'secret' }),
    expect.not.objectContaining({ authorization: expect.anything() }),
  ]);
  expect(seen[1]).not.toHaveProperty('private-token');
  expect(seen[1]).toMatchObject({ accept: 'text/plain' });
});

it('does not follow for ever, nor to what is no web server', async () => {
  await using server = await serve((request, response) => {
    response.writeHead(302, { location: request.url === '/file' ? 'file:///etc/passwd' : '/again' }).end();
  });
  await expect(fetchUrl(`${server.origin}/`, { signal })).rejects.toThrow('stopped after 10 redirects');
  await expect(fetchUrl(`${server.origin}/file`, { signal })).rejects.toThrow('unsupported protocol scheme "file"');
});
