import { Agent, request } from 'node:https';
import type { ClientConfig } from '@tektite/client';
import type { Answer } from '../operation.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The answer is a stream; it is read until the server ends it. */
  readonly watch?: boolean;
}

/** A server of the Kubernetes API, reached as the administrator, with no client library between. */
export interface ApiEndpoint {
  readonly name: string;
  send(request: WireRequest): Promise<Answer>;
  close(): void;
}

const timeoutMs = 20_000;

/** Reaches the server of a kubeconfig's context, or of the testkit. */
export async function endpointOf(name: string, config: ClientConfig): Promise<ApiEndpoint> {
  const { clientCertificate, authorization } = (await config.credentials?.current()) ?? {};
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 64,
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
    ...(config.certificateAuthority === undefined ? {} : { ca: config.certificateAuthority }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.certificate, key: clientCertificate.key }),
  });
  const credentials: Record<string, string> = authorization === undefined ? {} : { authorization };
  return {
    name,
    send: (wire) =>
      answer(agent, new URL(wire.path, config.server), { ...wire, headers: { ...credentials, ...wire.headers } }),
    close: () => agent.destroy(),
  };
}

/** A connection that breaks is an answer, too: code 0, and why. One that was kept too long is replaced. */
async function answer(agent: Agent, url: URL, wire: WireRequest): Promise<Answer> {
  for (;;) {
    try {
      return await send(agent, url, wire);
    } catch (error) {
      if (error instanceof StaleConnectionError) continue;
      return { code: 0, headers: {}, body: (error as Error).message };
    }
  }
}

/** The server closed a connection that was kept open, just when it was used again. */
class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
}

function send(agent: Agent, url: URL, wire: WireRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = wire.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(wire.body)) };
    const headers = { 'user-agent': 'differential/1.0', ...wire.headers, ...length };
    const outgoing = request(url, { agent, method: wire.method, headers });
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no answer to ${wire.method} ${wire.path}`)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      reject(isStale ? new StaleConnectionError() : error);
    });
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const entries = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
        const body = parse(text, wire.watch === true && response.statusCode === 200);
        resolve({ code: response.statusCode ?? 0, headers: Object.fromEntries(entries), body });
      });
    });
    outgoing.end(wire.body);
  });
}

function parse(text: string, isWatch: boolean): unknown {
  try {
    if (!isWatch) return JSON.parse(text);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return text;
  }
}
