import { type Client, kinds } from '@tektite/client';
import type { GuardedServer, TlsOptions } from '@tektite/http';
import type { EventListenerObject } from '../kinds/event-listener.ts';
import type { EventSink } from './event-sink.ts';
import type { SinkMetrics } from './sink-metrics.ts';
import { startSinkServer } from './sink-server.ts';

/** On a listener: the port of this machine that it has for itself. */
export const portAnnotation = 'triggers.tektite.dev/port';

export interface ListenerServerOptions {
  readonly client: Client;
  readonly sink: EventSink;
  readonly metrics: SinkMetrics;
  /** The address of listeners with a separate port. */
  readonly host: string;
  /** Every listener has a separate port, for the Endpoints of its Service. */
  readonly isPortPerListener: boolean;
  readonly onError: (error: unknown) => void;
}

interface Running {
  readonly server: GuardedServer;
  readonly settings: string;
}

/** The servers of listeners that have a separate port: those with TLS, those that ask for one, or all. */
export class ListenerServers implements AsyncDisposable {
  private readonly options: ListenerServerOptions;
  private readonly running = new Map<string, Running>();

  constructor(options: ListenerServerOptions) {
    this.options = options;
  }

  /** Has a listener served as it wants. Returns its own port, if it has one. Rejects when it cannot be served. */
  async ensure(listener: EventListenerObject): Promise<number | undefined> {
    const { namespace = '', name = '' } = listener.metadata;
    const key = `${namespace}/${name}`;
    const tls = await this.tlsOf(listener);
    const wanted = portOf(listener);
    if (!tls && wanted === undefined && !this.options.isPortPerListener) {
      await this.stop(key);
      return undefined;
    }
    const settings = JSON.stringify([wanted, tls]);
    const known = this.running.get(key);
    if (known?.settings === settings) return known.server.port;
    const { sink, metrics, host, onError } = this.options;
    await this.stop(key);
    const server = await startSinkServer({
      sink,
      metrics,
      host,
      port: wanted ?? 0,
      listener: { namespace, name },
      onError,
      ...(tls ? { tls } : {}),
    });
    this.running.set(key, { server, settings });
    return server.port;
  }

  /** Ends the server of a listener, if it has one. */
  async stop(key: string): Promise<void> {
    const known = this.running.get(key);
    this.running.delete(key);
    await known?.server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.running.keys()].map((key) => this.stop(key)));
  }

  private async tlsOf(listener: EventListenerObject): Promise<TlsOptions | undefined> {
    const refs = tlsRefs(listener);
    if (!refs) return undefined;
    const { namespace = '' } = listener.metadata;
    const read = async ({ name = '', key }: SecretKey) => {
      const { data = {} } = await this.options.client.get(kinds.Secret, { namespace, name });
      const text = Object.hasOwn(data, key) ? data[key] : undefined;
      if (text === undefined) throw new Error(`cannot find ${key} key in secret ${namespace}/${name}`);
      return Buffer.from(text, 'base64').toString();
    };
    return { certificate: await read(refs.certificate), key: await read(refs.key) };
  }
}

interface SecretKey {
  readonly name?: string;
  readonly key: string;
}

/** The Secret with the certificate of a listener: the variables `TLS_CERT` and `TLS_KEY` of its container. */
export function tlsRefs({
  spec,
}: EventListenerObject): { readonly certificate: SecretKey; readonly key: SecretKey } | undefined {
  const [container] = spec.resources?.kubernetesResource?.spec?.template?.spec?.containers ?? [];
  const find = (name: string) => container?.env?.find((variable) => variable.name === name)?.valueFrom?.secretKeyRef;
  const [certificate, key] = [find('TLS_CERT'), find('TLS_KEY')];
  return certificate && key ? { certificate, key } : undefined;
}

function portOf({ metadata }: EventListenerObject): number | undefined {
  const text = metadata.annotations?.[portAnnotation];
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`annotation ${portAnnotation}: ${JSON.stringify(text)} is no port`);
  return port;
}
