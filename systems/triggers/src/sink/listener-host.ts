import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import type { EventRecorder } from '@tektite/controller/events';
import type { Meter } from '@tektite/controller/observe';
import type { GuardedServer } from '@tektite/http';
import type { EventListenerObject } from '../kinds/event-listener.ts';
import { CloudEventSender } from './cloud-events.ts';
import { EventSink } from './event-sink.ts';
import { ListenerServers, tlsRefs } from './listener-servers.ts';
import { serviceAddresses } from './service-address.ts';
import { SinkMetrics } from './sink-metrics.ts';
import { startSinkServer } from './sink-server.ts';
import { WatchedTriggerStore } from './trigger-store.ts';

export interface ListenerHostOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly systemNamespace: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly clusterAddress?: string;
  readonly events?: EventRecorder;
  readonly meter: () => Meter;
  readonly dryRun?: boolean;
}

/** Events that were accepted are processed before the process ends, for so long. */
const drainMs = 5000;

/** Everything that receives events in this process: caches, the sink, its servers. */
export class RunningListenerHost implements AsyncDisposable {
  readonly sink: EventSink;
  readonly clusterAddress?: string;
  private readonly shared: GuardedServer;
  private readonly servers: ListenerServers;
  private readonly watched: WatchedTriggerStore;
  private readonly host: string;
  private readonly stopping: () => Promise<void>;

  constructor(parts: {
    readonly sink: EventSink;
    readonly shared: GuardedServer;
    readonly servers: ListenerServers;
    readonly watched: WatchedTriggerStore;
    readonly host: string;
    readonly clusterAddress?: string;
    readonly stopping: () => Promise<void>;
  }) {
    ({ sink: this.sink, shared: this.shared, servers: this.servers, host: this.host, stopping: this.stopping } = parts);
    this.watched = parts.watched;
    if (parts.clusterAddress !== undefined) this.clusterAddress = parts.clusterAddress;
  }

  /** The address of the server for all listeners. */
  get url(): string {
    return `http://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.shared.port}`;
  }

  /** The sink has a separate cache: a listener is served when it is there, too. An event before that would be lost. */
  async ensure(listener: EventListenerObject): Promise<number | undefined> {
    await this.watched.shows(listener);
    return this.servers.ensure(listener);
  }

  stop(key: string): Promise<void> {
    return this.servers.stop(key);
  }

  localUrl(listener: EventListenerObject, port: number | undefined): string {
    const { namespace, name } = listener.metadata;
    if (port === undefined) return `${this.url}/${namespace}/${name}`;
    const host = this.clusterAddress ?? this.host;
    return `${tlsRefs(listener) ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopping();
  }
}

/** Starts to receive events. Resolves when the caches are filled and the server listens. */
export async function startListenerHost(options: ListenerHostOptions): Promise<RunningListenerHost> {
  const { client, log, systemNamespace, listen, clusterAddress, events, meter, dryRun = false } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const watched = new WatchedTriggerStore(client, (error) =>
    log.warn('a kind of Triggers cannot be watched', { error }),
  );
  const metrics = new SinkMetrics(meter);
  const resolveHost = serviceAddresses(client);
  const sink = new EventSink({
    client,
    store: watched.store,
    log,
    systemNamespace,
    resolveHost,
    metrics,
    cloudEvents: new CloudEventSender({ clock: client.clock, resolve: resolveHost, log, signal }),
    dryRun,
    signal,
    ...(events ? { events } : {}),
  });
  const onError = (error: unknown) => log.error('an event could not be received', { error });
  let shared: GuardedServer | undefined;
  try {
    await watched.start();
    shared = await startSinkServer({ ...listen, sink, metrics, onError });
  } catch (error) {
    await watched[Symbol.asyncDispose]();
    throw error;
  }
  const servers = new ListenerServers({
    client,
    sink,
    metrics,
    host: clusterAddress ?? listen.host,
    isPortPerListener: clusterAddress !== undefined,
    onError,
  });
  const running = shared;
  const stopping = async () => {
    await Promise.all([running.drain(drainMs), servers[Symbol.asyncDispose]()]);
    controller.abort(new Error('the process stops'));
    await sink.idle();
    await watched[Symbol.asyncDispose]();
  };
  const host = new RunningListenerHost({
    sink,
    shared,
    servers,
    watched,
    host: listen.host,
    stopping,
    ...(clusterAddress === undefined ? {} : { clusterAddress }),
  });
  log.info('events are received', { url: `${host.url}/NAMESPACE/EVENTLISTENER` });
  return host;
}
