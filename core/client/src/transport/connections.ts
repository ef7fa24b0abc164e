import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import type { ClientConfig } from '../config/client-config.ts';
import type { ClientCertificate } from '../config/credentials.ts';
import { proxyFromEnvironment } from './environment-proxy.ts';

/** Idle connections are kept that long; shorter than the 90 seconds after which Kubernetes drops them. */
const keepAliveMilliseconds = 60_000;
/** TCP probes start after that much silence, so that the system finds dead peers too. */
const probeMilliseconds = 30_000;
/**
 * Reads, and writes, at a time; others wait for their turn here. A connection costs the server more than several requests, and who asks
 * a thousand things at once is not answered any sooner for having a thousand of them.
 */
const maxRequests = 64;

/**
 * The use of a connection. Streams may last for hours. Writes may wait for a webhook, which may be in this process and
 * may have to read something before it can answer: so reads never wait for writes.
 */
export type ConnectionUse = 'read' | 'write' | 'stream';

interface Dispatchers {
  readonly read: Dispatcher;
  readonly write: Dispatcher;
  readonly stream: Dispatcher;
  readonly certificate: ClientCertificate | undefined;
}

/**
 * The open connections to one server. A client certificate belongs to a connection, so a new certificate means new
 * connections; the old ones end with the requests that use them.
 */
export class Connections {
  private readonly config: ClientConfig;
  private readonly origin: string;
  private current: Dispatchers | undefined;
  private readonly all = new Set<Dispatcher>();

  constructor(config: ClientConfig, origin: string) {
    this.config = config;
    this.origin = origin;
  }

  /** undici is loaded with the first request: programs that only talk within the process do without it. */
  async dispatcherFor(use: ConnectionUse, certificate: ClientCertificate | undefined): Promise<Dispatcher> {
    if (this.current && sameCertificate(this.current.certificate, certificate)) return this.current[use];
    const undici = await import('./dispatchers.ts');
    if (this.current && sameCertificate(this.current.certificate, certificate)) return this.current[use];
    const old = this.current;
    const read = this.connect(undici, certificate, maxRequests);
    const write = this.connect(undici, certificate, maxRequests);
    const stream = this.connect(undici, certificate, null);
    this.all.add(read).add(write).add(stream);
    this.current = { read, write, stream, certificate };
    for (const dispatcher of old ? [old.read, old.write, old.stream] : []) {
      const forget = () => void this.all.delete(dispatcher);
      dispatcher.close().then(forget, forget);
    }
    return this.current[use];
  }

  async close(): Promise<void> {
    const open = [...this.all];
    this.all.clear();
    this.current = undefined;
    await Promise.all(open.map((dispatcher) => dispatcher.destroy()));
  }

  /**
   * HTTP/1.1 on purpose: over HTTP/2 undici is slower on requests one at a time and no faster on many, and watches beyond
   * the server's limit of streams would wait behind each other without a sign.
   */
  private connect(
    undici: typeof import('./dispatchers.ts'),
    certificate: ClientCertificate | undefined,
    connections: number | null,
  ): Dispatcher {
    const { certificateAuthority, insecureSkipTlsVerify, tlsServerName } = this.config;
    const tls = {
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate ? { cert: certificate.certificate, key: certificate.key } : {}),
      ...(insecureSkipTlsVerify ? { rejectUnauthorized: false } : {}),
      ...(tlsServerName === undefined || isIP(tlsServerName) ? {} : { servername: tlsServerName }),
      keepAlive: true,
      keepAliveInitialDelay: probeMilliseconds,
    };
    // Time is ours to watch, by the clock that was passed in.
    const times = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: keepAliveMilliseconds };
    const options = { ...times, connections, allowH2: false };
    const proxy = this.config.proxyUrl ?? proxyFromEnvironment(this.origin, process.env);
    return proxy === undefined
      ? new undici.Pool(this.origin, { ...options, connect: tls })
      : new undici.ProxyAgent({ uri: proxy, ...options, requestTls: tls });
  }
}

function sameCertificate(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a === b || (a !== undefined && a.certificate === b?.certificate && a.key === b.key);
}
