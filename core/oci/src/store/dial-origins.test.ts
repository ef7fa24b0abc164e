import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { dialOrigins } from './dial-origins.ts';

const { signal } = new AbortController();
const timeoutMs = 60_000;

it('is content with one origin that is open', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await dialOrigins(['http://127.0.0.1:9', `http://127.0.0.1:${port}`], { timeoutMs, signal });
});

it('leaves it to the request to say that an origin refuses, or has no name', async () => {
  await dialOrigins(['http://127.0.0.1:9', 'https://localhost:9'], { timeoutMs, signal });
});

it('ends when it is aborted', async () => {
  const abort = new AbortController();
  abort.abort(new Error('enough'));
  await expect(dialOrigins(['http://127.0.0.1:9'], { timeoutMs, signal: abort.signal })).rejects.toThrow('enough');
});
