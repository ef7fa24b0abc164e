import { type ClientHttp2Session, connect } from 'node:http2';
import type { Clock } from '@tektite/meta';
import type { Network } from '../runtime/network.ts';
import type { ProbeResult } from './probe-result.ts';

export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  /** The name that the health service is asked about; the server as a whole, if empty. */
  readonly service: string;
}

const path = '/grpc.health.v1.Health/Check';
const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const codes = { deadlineExceeded: 4, unimplemented: 12 };
/** Its answer has one small field. */
const maxAnswerBytes = 64 * 1024;

/** Asks a server by the health protocol of gRPC whether it serves, without TLS. The words are those of kubelets. */
export async function grpcCheck(
  { host, port, service }: GrpcTarget,
  network: Network,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const timeout = new AbortController();
  using _timer = clock.setTimer(timeoutMs, () => timeout.abort());
  const ended = AbortSignal.any([timeout.signal, signal]);
  const address = `${host}:${port}`;
  const failed = (output: string): ProbeResult => ({ success: false, output });
  let session: ClientHttp2Session;
  try {
    const socket = await network.connect(host, port, ended);
    session = connect(`http://${address}`, { createConnection: () => socket });
  } catch {
    // A kubelet tries until its time is up.
    const within = `${timeoutMs / 1000}s`;
    return failed(
      `timeout: failed to connect service ${JSON.stringify(address)} within ${within}: context deadline exceeded`,
    );
  }
  try {
    const { code, message, status } = await check(session, address, service, ended);
    if (code === codes.unimplemented)
      return failed(
        `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
      );
    if (code === codes.deadlineExceeded)
      return failed(`timeout: health rpc did not complete within ${timeoutMs / 1000}s`);
    if (code !== 0) return failed(`error: health rpc probe failed: rpc error: code = ${code} desc = ${message}`);
    if (statuses[status] === 'SERVING') return { success: true, output: 'service healthy' };
    return failed(`service unhealthy (responded with ${JSON.stringify(statuses[status] ?? String(status))})`);
  } finally {
    session.destroy();
  }
}

interface Answer {
  readonly code: number;
  readonly message: string;
  readonly status: number;
}

function check(session: ClientHttp2Session, authority: string, service: string, ended: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (code: number, message: string, status = 0) => {
      ended.removeEventListener('abort', abort);
      resolve({ code, message, status });
    };
    const abort = () => settle(codes.deadlineExceeded, '');
    ended.addEventListener('abort', abort, { once: true });
    if (ended.aborted) abort();
    session.once('error', ({ message }) => settle(14, message));
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      ':authority': authority,
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.36',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let code = '2';
    let message = '';
    const read = (headers: Readonly<Record<string, string | string[] | number | undefined>>) => {
      if (headers['grpc-status'] === undefined) return;
      code = String(headers['grpc-status']);
      message = decoded(String(headers['grpc-message'] ?? ''));
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxAnswerBytes) stream.close();
      else chunks.push(chunk);
    });
    stream.once('error', (error) => settle(14, error.message));
    stream.once('close', () => settle(Number(code), message, statusIn(Buffer.concat(chunks))));
    stream.end(framed(service));
  });
}

/** A message with one text: the service. */
function framed(service: string): Buffer {
  const name = Buffer.from(service);
  const body = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** The enum in field 1 of the answer, which is 0 when it is not written. */
function statusIn(answer: Buffer): number {
  return answer[5] === 0x08 ? (answer[6] ?? 0) : 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
