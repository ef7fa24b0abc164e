import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { systemClock } from '@tektite/meta';
import { afterEach, expect, test } from 'vitest';
import { machineNetwork } from '../runtime/network.ts';
import { grpcCheck } from './grpc-check.ts';

let server: Http2Server | undefined;
afterEach(() => server?.close());

/** A server whose health service answers with the status, or with a code of gRPC. */
async function serving(answer: { status?: number; code?: number; message?: string }, asked: string[] = []) {
  server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.once('data', (chunk: Buffer) => asked.push(`${headers[':path']} ${chunk.subarray(7).toString()}`));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': String(answer.code ?? 0), 'grpc-message': answer.message ?? '' }),
    );
    stream.end(answer.status === undefined ? '' : Buffer.from([0, 0, 0, 0, 2, 8, answer.status]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const check = (port: number, service = '', timeoutMs = 5000) =>
  grpcCheck({ host: '127.0.0.1', port, service }, machineNetwork, systemClock, timeoutMs, new AbortController().signal);

test.each([
  [{ status: 1 }, true, 'service healthy'],
  [{ status: 2 }, false, 'service unhealthy (responded with "NOT_SERVING")'],
  [{ status: 0 }, false, 'service unhealthy (responded with "UNKNOWN")'],
  [
    { code: 12, message: 'unknown service' },
    false,
    'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service',
  ],
])('a health service that answers %j gives %s', async (answer, success, output) => {
  const asked: string[] = [];
  expect(await check(await serving(answer, asked), 'shop')).toEqual({ success, output });
  expect(asked).toEqual(['/grpc.health.v1.Health/Check shop']);
});

test('a server that is not there fails it', async () => {
  const port = await serving({ status: 1 });
  await new Promise((resolve) => server?.close(resolve));
  expect(await check(port)).toEqual({
    success: false,
    output: `timeout: failed to connect service "127.0.0.1:${port}" within 5s: context deadline exceeded`,
  });
});

test('a server that never answers fails it when the time is up', async () => {
  const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  expect(await check(port, '', 50)).toEqual({
    success: false,
    output: 'timeout: health rpc did not complete within 0.05s',
  });
  silent.close();
});
