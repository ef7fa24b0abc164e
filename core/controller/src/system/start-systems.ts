import { type Client, keyOf } from '@tektite/client';
import { type KubeObject, sleep } from '@tektite/meta';
import { BucketElection, type BucketElectionOptions } from '../election/bucket-election.ts';
import { LeaseWatch } from '../election/lease-watch.ts';
import { ordinalOwnership, type OrdinalPlace } from '../election/ordinal-ownership.ts';
import type { Ownership } from '../election/ownership.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { Manager, type ManagerHealth, type ManagerOptions } from '../reconcile/manager.ts';
import { type LocalWebhookHost, LocalWebhookService } from '../webhook/local-webhook-service.ts';
import { conversionsOf } from '../webhook/webhook-registration.ts';
import { WebhookService, type WebhookServiceOptions } from '../webhook/webhook-service.ts';
import { type DefineKind, definitionsOf, installKinds } from './definitions.ts';
import { installObjects } from './install-objects.ts';
import { migrateSystems } from './migrate-systems.ts';
import type { System, SystemServices } from './system.ts';

/** Each controller has buckets of objects, each bucket a Lease. */
interface LeaseElection extends Omit<BucketElectionOptions, 'queue' | 'component' | 'handOver' | 'watch'> {
  /** The beginning of the Leases' names. Default the manager's name. */
  readonly component?: string;
}

/** How several processes share the work: by Leases, or by their numbers in a StatefulSet. */
export type SystemsElection = LeaseElection | { readonly ordinal: OrdinalPlace };

/** Where the API server finds the webhooks. */
export type SystemsWebhooks =
  /** It is in this process. */
  | { readonly host: LocalWebhookHost; readonly service: WebhookServiceOptions['service'] }
  /** Over HTTPS, through a Service or at a URL. */
  | Pick<WebhookServiceOptions, 'service' | 'url' | 'port' | 'hosts' | 'secretName'>;

export interface SystemsOptions extends Omit<ManagerOptions, 'ownership'> {
  readonly client: Client;
  /**
   * Write the definitions of the kinds and the objects that the systems come with, and migrate objects that are stored in an older
   * version. Default yes.
   */
  readonly install?: boolean;
  /** How a server learns of their kinds. Default: their definitions are applied. */
  readonly define?: DefineKind;
  /** Without it, webhooks are not served here: another process serves them. */
  readonly webhooks?: SystemsWebhooks;
  /** Without it, all objects are this process's. */
  readonly election?: SystemsElection;
  /**
   * How long webhooks and other servers answer after `stop` is called, while Services forget this process. Work stops and Leases
   * are released meanwhile. Default not at all.
   */
  readonly shutdownDelayMs?: number;
}

/** Systems at work. */
export interface RunningSystems extends AsyncDisposable {
  readonly manager: Manager;
  health(): SystemsHealth;
  /**
   * 1. it is not ready any more; 2. controllers take nothing new, and complete what they do; 3. Leases are released; 4. after the
   * delay, webhooks and other servers complete their answers and end.
   */
  stop(): Promise<void>;
}

export interface SystemsHealth extends ManagerHealth {
  readonly webhooks?: { readonly healthy: boolean; readonly lastError: Error | undefined };
}

/**
 * Runs systems: has the server serve their kinds, serves their webhooks, runs their controllers. Resolves when the
 * webhooks are in force and the controllers started. Started parts are stopped when another part fails.
 *
 * @example await using running = await startSystems([memcachedSystem], { client: await openClient() });
 */
export async function startSystems(given: readonly System[], options: SystemsOptions): Promise<RunningSystems> {
  const { client, log = silentLogger } = options;
  const started: (() => Promise<unknown>)[] = [];
  const undo = async () => {
    for (let end = started.pop(); end; end = started.pop()) await end();
  };
  try {
    const pending = options.install === false ? [] : await install(client, given, log, defineWhole(given, options));
    const systems = await configure(given, { client, log }, started);
    const webhooks = await serveWebhooks(systems, options, log);
    if (webhooks) started.push(() => webhooks.stop());
    if (pending.length > 0) started.push(await installLater(client, pending, log));
    // Definitions that are not applied are those of a server whose objects end with it.
    if (options.install !== false && !options.define) started.push(migrateSystems(client, systems, log));
    const { clock } = client;
    let servedUntil = Number.NEGATIVE_INFINITY;
    started.push(async () => {
      const leftMs = servedUntil - clock.monotonic();
      if (leftMs > 0) await sleep(clock, leftMs);
    });
    const manager = startManager(systems, options, started);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      if (stopped) return stopped;
      servedUntil = clock.monotonic() + (options.shutdownDelayMs ?? 0);
      if (webhooks instanceof WebhookService) webhooks.retire();
      return (stopped = undo());
    };
    const health = (): SystemsHealth => {
      const own = manager.health();
      const { healthy, lastError } = webhooks?.health() ?? { healthy: true, lastError: undefined };
      return {
        ...own,
        healthy: own.healthy && healthy,
        ready: own.ready && healthy && !stopped,
        ...(webhooks ? { webhooks: { healthy, lastError } } : {}),
      };
    };
    return { manager, health, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await undo();
    throw error;
  }
}

async function install(
  client: Client,
  systems: readonly System[],
  log: Logger,
  define: DefineKind | undefined,
): Promise<readonly KubeObject[]> {
  const pending: KubeObject[] = [];
  for (const { name, kinds, objects = [] } of systems) {
    await installKinds(client, kinds, undefined, define);
    pending.push(...(await installObjects(client, objects)));
    log.info('installed', { system: name, kinds: definitionsOf(kinds).map(({ metadata }) => metadata.name) });
  }
  return pending;
}

const installEveryMs = 2000;

/** Tries once more now that the webhooks are served, and then at a steady pace until all exist. Returns what ends that. */
async function installLater(
  client: Client,
  objects: readonly KubeObject[],
  log: Logger,
): Promise<() => Promise<unknown>> {
  let pending = await installObjects(client, objects);
  const stopping = new AbortController();
  const again = async () => {
    while (pending.length > 0) {
      log.warn('objects wait for a webhook that cannot be called', {
        objects: pending.map((each) => keyOf(each).name),
      });
      await sleep(client.clock, installEveryMs, stopping.signal);
      pending = await installObjects(client, pending);
    }
  };
  const done = again().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error('objects could not be installed', { error });
  });
  return () => {
    stopping.abort(new Error('the systems were stopped'));
    return done;
  };
}

/**
 * Where the server defines kinds directly, the definition includes the conversion at once: a later change would make
 * the server build its schemas a second time.
 */
function defineWhole(systems: readonly System[], { define, webhooks: where }: SystemsOptions): DefineKind | undefined {
  if (!define || !where || !('host' in where)) return define;
  const webhooks = systems.flatMap((system) => system.webhooks ?? []);
  const conversions = conversionsOf(webhooks, { service: where.service });
  return (definition) => {
    const conversion = conversions.get(definition.metadata.name ?? '');
    return define(conversion ? { ...definition, spec: { ...definition.spec, conversion } } : definition);
  };
}

/** Those that have settings follow them from now on. */
async function configure(
  systems: readonly System[],
  services: SystemServices,
  started: (() => Promise<unknown>)[],
): Promise<readonly System[]> {
  const live: System[] = [];
  for (const system of systems) {
    const configured = await system.configure?.(services);
    if (configured) started.push(() => configured.stop());
    live.push({ ...system, ...configured?.system });
  }
  return live;
}

async function serveWebhooks(
  systems: readonly System[],
  { client, webhooks: where }: SystemsOptions,
  log: Logger,
): Promise<WebhookService | LocalWebhookService | undefined> {
  const webhooks = systems.flatMap((system) => system.webhooks ?? []);
  if (!where || webhooks.length === 0) return undefined;
  const onError = (error: Error) => log.error('webhooks', { error });
  if ('host' in where) return LocalWebhookService.start({ ...where, client, webhooks, onError });
  return WebhookService.start({ ...where, client, webhooks, onError });
}

function startManager(
  systems: readonly System[],
  options: SystemsOptions,
  started: (() => Promise<unknown>)[],
): Manager {
  const { client, install: _, define: __, webhooks: ___, election, ...rest } = options;
  const all = systems.flatMap(({ controllers }) => controllers);
  const stopping = new AbortController();
  const elections: Promise<void>[] = [];
  const ownershipBy = (chosen: SystemsElection): ((controller: string) => Ownership) => {
    if ('ordinal' in chosen) {
      const own = ordinalOwnership(chosen.ordinal);
      return () => own;
    }
    const { component = options.name ?? 'tektite', ...how } = chosen;
    const watch = new LeaseWatch(client, how.namespace);
    elections.push(
      watch.run(stopping.signal, (error) => options.log?.warn('Leases are read, not watched, for now', { error })),
    );
    return (controller) => {
      const queue = all.find(({ name }) => name === controller)?.queue ?? controller;
      const handOver = (owned: (key: string) => boolean) => manager.idle(owned, controller);
      const ownership = new BucketElection(client, { ...how, watch, component, queue, handOver });
      elections.push(ownership.run(stopping.signal));
      return ownership;
    };
  };
  const manager: Manager = new Manager(client, { ...rest, ...(election ? { ownership: ownershipBy(election) } : {}) });
  // Leases are given back when nothing is worked on any more, so that another process may begin at once.
  started.push(async () => {
    stopping.abort(new Error('the process stops'));
    await Promise.all(elections);
  });
  started.push(() => manager.stop());
  for (const controller of all) manager.add(controller);
  manager.start();
  return manager;
}
