import { once } from 'node:events';
import type { ServerRequest, ServerResponse } from '@tektite/http';
import { ApiError, codes } from '../api/api-error.ts';
import { decode, encode } from '../wire/binary.ts';
import type { Fields, MessageDescriptor } from '../wire/message.ts';
import { message } from '../wire/message.ts';
import { apiErrorOf } from '../api/results-api.ts';
import { callerOf, goneSignal } from './caller.ts';
import { applyFieldMask, parseFieldMask } from './field-mask.ts';
import { frame, readFrames } from './frames.ts';
import type { Method, Methods } from './methods.ts';

const contentType = 'application/grpc';

/** Whether a request is one of gRPC. */
export function isGrpc(request: ServerRequest): boolean {
  return request.httpVersionMajor === 2 && String(request.headers['content-type'] ?? '').startsWith(contentType);
}

/** Answers a call of gRPC: its messages in the body, its status in the trailers. */
export async function answerGrpc(
  request: ServerRequest,
  response: ServerResponse,
  methods: Methods,
  onError: (error: unknown) => void,
): Promise<void> {
  // The client went away.
  response.on('error', () => undefined);
  try {
    await call(request, response, methodAt(request.url, methods));
  } catch (error) {
    const failure = apiErrorOf(error);
    if (failure.code === codes.internal && failure.cause !== undefined) onError(failure.cause);
    fail(response, failure);
  }
}

function methodAt(path: string, methods: Methods): Method {
  const [, service = '', name = ''] = /^\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const served = Object.hasOwn(allServices(methods), service) ? allServices(methods)[service] : undefined;
  if (!served) throw new ApiError(codes.unimplemented, `unknown service ${service}`);
  const method = Object.hasOwn(served, name) ? served[name] : undefined;
  if (!method) throw new ApiError(codes.unimplemented, `unknown method ${name} for service ${service}`);
  return method;
}

/** `grpc.health.v1.Health`, which probes of Kubernetes ask. */
const healthOf = (methods: Methods): Method => ({
  kind: 'unary',
  input: message<{ service?: string }>({ service: [1, 'string'] }),
  output: message<{ status?: number }>({ status: [1, { names: ['UNKNOWN', 'SERVING'] }] }),
  call: async (_caller, request) => {
    const { service = '' } = request as { readonly service?: string };
    if (service !== '' && !Object.hasOwn(methods, service)) throw new ApiError(codes.notFound, 'unknown service');
    return { status: 1 };
  },
});

function allServices(methods: Methods): Methods {
  return { ...methods, 'grpc.health.v1.Health': { Check: healthOf(methods) } };
}

async function call(request: ServerRequest, response: ServerResponse, method: Method): Promise<void> {
  const caller = callerOf(request);
  const signal = AbortSignal.any([goneSignal(request), ...timeoutOf(request)]);
  const frames = readFrames(request as AsyncIterable<Uint8Array>, caller.get('grpc-encoding')?.[0] ?? '');
  if (method.kind === 'receives') {
    const answer = await method.call(caller, decoded(frames, method.input));
    return send(response, [encode(method.output, answer)]);
  }
  const [given] = await firstOf(frames);
  if (!given) throw new ApiError(codes.internal, 'unexpected EOF');
  const input = decodeMessage(method.input, given);
  if (method.kind === 'sends') {
    const answers = await method.call(caller, input);
    return send(response, encoded(answers, method.output));
  }
  const answer = (await method.call(caller, input, signal)) as Fields;
  const mask = parseFieldMask(caller.get('fields') ?? []);
  await send(response, [encode(method.output, mask ? applyFieldMask(mask, method.output, answer) : answer)]);
}

async function firstOf(frames: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  for await (const each of frames) return [each];
  return [];
}

function decodeMessage(descriptor: MessageDescriptor, bytes: Uint8Array): unknown {
  try {
    return decode(descriptor, bytes);
  } catch (error) {
    throw new ApiError(codes.internal, `grpc: error unmarshalling request: ${(error as Error).message}`);
  }
}

async function* decoded(frames: AsyncIterable<Buffer>, descriptor: MessageDescriptor): AsyncIterable<unknown> {
  for await (const each of frames) yield decodeMessage(descriptor, each);
}

async function* encoded(answers: AsyncIterable<unknown>, descriptor: MessageDescriptor): AsyncIterable<Uint8Array> {
  for await (const each of answers) yield encode(descriptor, each);
}

/** The client says how long it waits: a number and a unit. */
function timeoutOf(request: ServerRequest): readonly AbortSignal[] {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(request.headers['grpc-timeout'] ?? '')) ?? [];
  const milliseconds = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000_001 }[unit];
  if (amount === undefined || milliseconds === undefined) return [];
  return [AbortSignal.timeout(Math.min(Math.ceil(Number(amount) * milliseconds), 0x7fff_ffff))];
}

async function send(
  response: ServerResponse,
  messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  let status: ApiError | undefined;
  response.writeHead(200, { 'content-type': contentType });
  try {
    for await (const each of messages) {
      if (response.destroyed) return;
      if (!response.write(frame(each))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  } catch (error) {
    status = apiErrorOf(error);
  }
  response.addTrailers(trailers(status));
  response.end();
}

/** An error: no message, and the status in the trailers. */
function fail(response: ServerResponse, error: ApiError): void {
  if (response.destroyed) return;
  if (response.headersSent) return void response.destroy();
  response.writeHead(200, { 'content-type': contentType });
  response.addTrailers(trailers(error));
  response.end();
  // The rest of the request is dropped: it would wait for room otherwise, and not see the answer.
  response.stream.removeAllListeners('data').resume();
}

function trailers(error: ApiError | undefined): Readonly<Record<string, string>> {
  if (!error) return { 'grpc-status': '0' };
  return { 'grpc-status': String(error.code), 'grpc-message': percentEncoded(error.message.slice(0, 4096)) };
}

/** Bytes other than printable ASCII are escaped. */
function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}
