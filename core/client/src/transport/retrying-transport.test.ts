import { seededRandom } from '@tektite/meta';
import { settle, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { type Behaviour, failure, json, startFaultServer } from './fault-server.cases.ts';
import { httpTransport } from './http-transport.ts';
import { retryingTransport } from './retrying-transport.ts';
import type { TransportRequest } from './transport.ts';

const post: TransportRequest = { method: 'POST', path: '/api/v1/pods', body: {} };
const get: TransportRequest = { method: 'GET', path: '/api/v1/pods' };

/** Sends one request to a server that behaves so, in virtual time. */
async function send(behave: Behaviour, request: TransportRequest, options: { maxRetries?: number } = {}) {
  const clock = virtualClock();
  await using server = await startFaultServer(behave);
  const transport = retryingTransport(httpTransport(server.config, { timeoutMs: 0 }), {
    clock,
    random: seededRandom(1),
    ...options,
  });
  let done = false;
  const outcome = transport
    .request(request)
    .then(
      ({ status }) => status,
      (error: { code: unknown }) => error.code,
    )
    .finally(() => {
      done = true;
    });
  // The server answers in real time, the waits are virtual.
  while (!done) {
    await settle(2);
    if (clock.pendingTimers > 0) await clock.advance(1_000);
  }
  await transport.close();
  return { outcome: await outcome, requests: server.requests.length, waited: clock.monotonic() };
}

describe('a request that fails', () => {
  it.each([429, 503, 500])('with %i and Retry-After is repeated after that time, whatever it is', async (code) => {
    const behave: Behaviour = (_, response, attempt) =>
      attempt < 3 ? failure(response, code, {}, { 'retry-after': '2' }) : json(response, 201, {});
    const result = await send(behave, post);
    expect(result).toMatchObject({ outcome: 201, requests: 3 });
    expect(result.waited).toBeGreaterThanOrEqual(4_000);
  });

  it.each([429, 503, 404])('with %i and no Retry-After is not repeated', async (code) => {
    expect(await send((_, response) => failure(response, code), get)).toMatchObject({ outcome: code, requests: 1 });
  });

  it('is given up after so many times', async () => {
    const behave: Behaviour = (_, response) => failure(response, 429, {}, { 'retry-after': '1' });
    expect(await send(behave, get, { maxRetries: 3 })).toMatchObject({ outcome: 429, requests: 4 });
    expect(await send(behave, get, { maxRetries: 0 })).toMatchObject({ outcome: 429, requests: 1 });
  });

  it('is given up at once when the server asks for too much patience', async () => {
    const behave: Behaviour = (_, response) => failure(response, 503, {}, { 'retry-after': '3600' });
    expect(await send(behave, get)).toMatchObject({ outcome: 503, requests: 1 });
  });

  it('by a cut connection is repeated when it only reads', async () => {
    const behave: Behaviour = (_, response, attempt) =>
      attempt < 3 ? void response.socket?.destroy() : json(response, 200, {});
    expect(await send(behave, get)).toMatchObject({ outcome: 200, requests: 3 });
  });

  it('by a cut connection is not repeated when it writes: the server may have done it', async () => {
    const behave: Behaviour = (_, response) => void response.socket?.destroy();
    expect(await send(behave, post)).toMatchObject({ outcome: 'CONNECTION_RESET', requests: 1 });
  });
});

it('a wait between two attempts ends with the signal', async () => {
  const clock = virtualClock();
  await using server = await startFaultServer((_, response) => failure(response, 429, {}, { 'retry-after': '5' }));
  const transport = retryingTransport(httpTransport(server.config), { clock, random: seededRandom(1) });
  const controller = new AbortController();
  const reason = new Error('enough');
  const answer = expect(transport.request({ ...get, signal: controller.signal })).rejects.toBe(reason);
  while (clock.pendingTimers === 0) await settle();
  controller.abort(reason);
  await answer;
  expect(clock.pendingTimers).toBe(0);
  await transport.close();
});
