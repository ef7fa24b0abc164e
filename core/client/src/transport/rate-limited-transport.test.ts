import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { rateLimitedTransport } from './rate-limited-transport.ts';
import type { Transport } from './transport.ts';

it('lets a burst pass, then so many a second, in order; a rest makes room for another burst', async () => {
  const clock = virtualClock();
  const sent: [string, number][] = [];
  const inner = {
    request: async ({ path }: { path: string }) => {
      sent.push([path, clock.monotonic()]);
      return { status: 200, headers: {}, warnings: [], body: {} };
    },
  } as unknown as Transport;
  const limited = rateLimitedTransport(inner, { qps: 10, burst: 3 }, clock);
  const send = (names: string) => [...names].map((path) => limited.request({ method: 'GET', path }));
  await clock.until(Promise.all(send('abcdef')));
  expect(sent.map(([path]) => path).join('')).toBe('abcdef');
  expect(sent.map(([, at]) => at)).toEqual([0, 0, 0, 100, 200, 300]);
  await clock.advance(10_000);
  const start = clock.monotonic();
  await clock.until(Promise.all(send('ghij')));
  expect(sent.slice(6).map(([, at]) => at - start)).toEqual([0, 0, 0, 100]);
});

it('gives up waiting with the signal', async () => {
  const clock = virtualClock();
  const limited = rateLimitedTransport(
    { request: () => Promise.resolve({ status: 200, headers: {}, warnings: [], body: {} }) } as never,
    { qps: 1, burst: 1 },
    clock,
  );
  await limited.request({ method: 'GET', path: '/' });
  const abort = new AbortController();
  const waiting = limited.request({ method: 'GET', path: '/', signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
