import { type ApiResource, type Client, kinds } from '@tektite/client';
import { type Logger, silentLogger } from '@tektite/controller';
import { type Informer, type InformerLease, InformerSet, metadataOnly } from '@tektite/controller/cache';
import { formatApiVersion, type KubeObject, sleep } from '@tektite/meta';
import type { ObjectMetadata } from './graph-node.ts';

/** Receives the objects of all kinds. */
export interface ObjectHandler {
  observed(object: ObjectMetadata): void;
  gone(object: ObjectMetadata): void;
}

interface Monitor {
  readonly lease: InformerLease<KubeObject, ReturnType<typeof metadataOnly>>;
  readonly handler: Disposable;
  readonly since: number;
}

/** How often the server is asked what it serves, besides when a CustomResourceDefinition changes. */
const refreshMs = 30_000;
/** A kind that cannot be listed, say because its conversion webhook is down, must not hold up all others for ever. */
const patienceMs = 30_000;

/** Watches the metadata of everything that can be deleted, whatever kinds come and go. */
export class ResourceMonitors implements AsyncDisposable {
  private readonly client: Client;
  private readonly informers: InformerSet;
  private readonly handler: ObjectHandler;
  private readonly log: Logger;
  private readonly monitors = new Map<string, Monitor>();
  private readonly stopping = new AbortController();
  private definitions: { readonly lease: AsyncDisposable; readonly handler: Disposable } | undefined;
  private running: Promise<void> | undefined;
  private refreshing: Promise<void> | undefined;
  private again = false;
  private complete = false;

  constructor(client: Client, handler: ObjectHandler, log: Logger = silentLogger) {
    this.client = client;
    this.handler = handler;
    this.log = log;
    this.informers = new InformerSet(client, {
      onError: (error) => log.debug('a watch failed; it goes on', { error }),
    });
  }

  start(): this {
    const lease = this.informers.acquire(kinds.CustomResourceDefinition, { transform: servedNames });
    const changed = () => void this.refresh();
    this.definitions = {
      lease,
      handler: lease.informer.addHandler({ added: changed, modified: changed, deleted: changed }),
    };
    this.running ??= this.run(this.stopping.signal);
    return this;
  }

  /** Whether all monitors have synced. Before that, no object can be said to have no dependents. */
  get ready(): boolean {
    if (!this.complete) return false;
    const now = this.client.clock.monotonic();
    return [...this.monitors.values()].every(
      ({ lease, since }) => isSynced(lease.informer) || now - since > patienceMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort(new Error('the garbage collector was stopped'));
    this.definitions?.handler[Symbol.dispose]();
    for (const { handler } of this.monitors.values()) handler[Symbol.dispose]();
    await this.running;
    await this.refreshing;
    await this.informers.close();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh();
      await sleep(this.client.clock, refreshMs, signal).catch(() => undefined);
    }
  }

  /** Starts and stops watches as the server says. Calls while it runs make it run once more. */
  private refresh(): Promise<void> {
    this.again = true;
    this.refreshing ??= this.refreshAll().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async refreshAll(): Promise<void> {
    while (this.again && !this.stopping.signal.aborted) {
      this.again = false;
      try {
        this.client.discovery.forget();
        const { resources, unavailable } = await this.client.discovery.all();
        if (this.stopping.signal.aborted) return;
        await this.follow(deletable(resources), new Set(unavailable));
        this.complete = true;
      } catch (error) {
        this.log.warn('the server did not say what it serves; it is asked again', { error });
      }
    }
  }

  private async follow(resources: readonly ApiResource[], unavailable: ReadonlySet<string>): Promise<void> {
    const wanted = new Map(resources.map((resource) => [nameOf(resource), resource]));
    for (const [name, resource] of wanted)
      if (!this.monitors.has(name)) this.monitors.set(name, this.monitor(resource));
    for (const [name, monitor] of this.monitors) {
      if (wanted.has(name) || unavailable.has(name.split(' ', 1)[0] ?? '')) continue;
      this.monitors.delete(name);
      monitor.handler[Symbol.dispose]();
      for (const object of monitor.lease.informer.store.list()) this.handler.gone(object as ObjectMetadata);
      await monitor.lease.release();
    }
  }

  private monitor(resource: ApiResource): Monitor {
    const reference = { apiVersion: formatApiVersion(resource), kind: resource.kind };
    const lease = this.informers.acquire<KubeObject, ReturnType<typeof metadataOnly>>(reference, {
      transform: metadataOnly,
    });
    // Over a metadata transport objects do not say what they are.
    const named = ({ metadata }: ReturnType<typeof metadataOnly>): ObjectMetadata => ({ ...reference, metadata });
    const handler = lease.informer.addHandler({
      added: (object) => this.handler.observed(named(object)),
      modified: (object) => this.handler.observed(named(object)),
      deleted: (object) => this.handler.gone(named(object)),
    });
    return { lease, handler, since: this.client.clock.monotonic() };
  }
}

function isSynced(informer: Informer<KubeObject, ReturnType<typeof metadataOnly>>): boolean {
  return informer.health().synced;
}

function nameOf(resource: ApiResource): string {
  return `${formatApiVersion(resource)} ${resource.plural}`;
}

/** Events are too many and own nothing. Of each resource, the version that the server prefers. */
export function deletable(resources: readonly ApiResource[]): readonly ApiResource[] {
  const seen = new Set<string>();
  return resources.filter(({ group, plural, verbs }) => {
    if (plural === 'events' && (group === '' || group === 'events.k8s.io')) return false;
    if (!['delete', 'list', 'watch'].every((verb) => verbs.includes(verb))) return false;
    const name = `${plural}.${group}`;
    return !seen.has(name) && seen.add(name);
  });
}

/** Of a definition, what says whether the list of served kinds may have changed. */
const servedNames = metadataOnly;
