import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@tektite/meta';
import type { Network } from '../runtime/network.ts';
import type { ProbeResult } from './probe-result.ts';

export interface HttpCheck {
  readonly host: string;
  readonly port: number;
  readonly path?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  /** The first part of the user agent. */
  readonly agent: string;
}

/** So much of an answer is read, for the event. */
const longestBody = 10 * 1024;

/** Asks a container by HTTP. 200 to 399 is success; certificates are not checked; redirects are not followed. */
export async function httpCheck(
  check: HttpCheck,
  network: Network,
  clock: Clock,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const scheme = (check.scheme ?? 'HTTP').toLowerCase();
  const path = `${check.path?.startsWith('/') ? '' : '/'}${check.path ?? ''}`;
  const host = check.host.includes(':') ? `[${check.host}]` : check.host;
  const url = `${scheme}://${host}:${check.port}${path}`;
  const headers: Record<string, string> = { 'User-Agent': `${check.agent}/1.36`, Accept: '*/*', Connection: 'close' };
  for (const { name, value } of check.httpHeaders ?? []) headers[name] = value;
  const timeout = new AbortController();
  const cancelled = signal ? AbortSignal.any([timeout.signal, signal]) : timeout.signal;
  return new Promise((resolve) => {
    const failed = (why: string) =>
      settle({
        success: false,
        output: `Get ${JSON.stringify(url)}: ${why}`,
        error: `Get ${JSON.stringify(url)}: ${why}`,
      });
    let call: ClientRequest | undefined;
    const timer = clock.setTimer(timeoutMs, () => {
      failed('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
      timeout.abort();
      call?.destroy();
    });
    const settle = (result: ProbeResult) => {
      timer[Symbol.dispose]();
      resolve(result);
    };
    const send = scheme === 'https' ? httpsRequest : httpRequest;
    const createConnection = (_: unknown, connected: (error: Error | null, socket: Duplex) => void) => {
      const secure = (socket: Socket) => (scheme === 'https' ? secureConnection(socket, check.host) : socket);
      network.connect(check.host, check.port, cancelled).then(
        (socket) => connected(null, secure(socket)),
        (error: Error) => connected(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
    try {
      call = send(url, { headers, signal: cancelled, createConnection }, (answer) => readAnswer(answer, settle));
    } catch (error) {
      // Headers and paths are the Pod's, and may be anything.
      failed((error as Error).message);
      return;
    }
    call.on('error', (error: NodeJS.ErrnoException) => failed(connectError(error, check)));
    call.end();
  });
}

/** Programs in Pods have certificates of any authority; kubelets do not verify them either. */
function secureConnection(socket: Socket, host: string): Duplex {
  return connectTls({ socket, rejectUnauthorized: false, ...(isIP(host) ? {} : { servername: host }) });
}

function readAnswer(answer: IncomingMessage, settle: (result: ProbeResult) => void): void {
  const status = answer.statusCode ?? 0;
  let length = 0;
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > longestBody) answer.destroy();
  });
  const done = () => {
    if (status >= 200 && status < 400) settle({ success: true, output: '' });
    else settle({ success: false, output: `HTTP probe failed with statuscode: ${status}` });
  };
  answer.once('end', done);
  answer.once('close', done);
}

/** In the words of Go, which users know from other clusters. */
export function connectError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const why = {
    ECONNREFUSED: 'connection refused',
    EHOSTUNREACH: 'no route to host',
    ETIMEDOUT: 'i/o timeout',
    ECONNRESET: 'connection reset by peer',
  }[error.code ?? ''];
  if (error.code === 'ECONNRESET') return 'EOF';
  return why ? `dial tcp ${host}:${port}: connect: ${why}` : error.message;
}
