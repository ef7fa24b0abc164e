import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly unknown[];
}

/** Takes traces, as a collector does. */
export async function startCollector(): Promise<
  AsyncDisposable & { url: string; spans: readonly SentSpan[]; authorizations: readonly string[] }
> {
  const spans: SentSpan[] = [];
  const authorizations: string[] = [];
  const take = async (incoming: IncomingMessage) => {
    authorizations.push(incoming.headers.authorization ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
      resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
  };
  const server = createServer((incoming, answer) => {
    void take(incoming).then(() => answer.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
