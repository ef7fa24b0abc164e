import { hostname } from 'node:os';
import type { Client } from '@tektite/client';
import type { Kind } from '@tektite/schema';
import { InformerSet } from '../cache/informer-set.ts';
import type { InformerHealth } from '../cache/informer-health.ts';
import { ControllerError } from '../controller-error.ts';
import type { Ownership } from '../election/ownership.ts';
import { EventRecorder, type EventRecorderOptions } from '../events/event-recorder.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { Controller, type ControllerHealth } from './controller.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { ReconcileRecord } from './history.ts';
import type { ReconcileMetrics } from './reconcile-metrics.ts';

export interface ManagerOptions {
  /** Who acts, for Events and logs. Default `tektite`. */
  readonly name?: string;
  readonly log?: Logger;
  readonly metrics?: ReconcileMetrics;
  /** Which objects are this process's. Default all. */
  readonly ownership?: Ownership | ((controller: string) => Ownership);
  /** For controllers that say nothing themselves. Default 4. */
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  /** Only objects of this namespace, for controllers that say nothing themselves. */
  readonly namespace?: string;
  /** How long reconciles may take to end when the manager stops. Default 30 seconds. */
  readonly graceMs?: number;
  readonly events?: Pick<EventRecorderOptions, 'api'>;
}

export interface ManagerHealth {
  /** All caches and controllers are. */
  readonly healthy: boolean;
  /** All caches are complete, and the controllers work. */
  readonly ready: boolean;
  readonly controllers: ReadonlyMap<string, ControllerHealth>;
  readonly informers: ReadonlyMap<string, InformerHealth>;
}

const defaultGraceMs = 30_000;

/**
 * Runs controllers that share a connection and caches. Controllers may be added and removed while it runs.
 *
 * @example
 * await using manager = new Manager(client, { name: 'memcached-operator' });
 * manager.add(memcachedController);
 * await manager.run(signal); // until the signal is aborted
 */
export class Manager implements AsyncDisposable {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly events: EventRecorder;
  private readonly options: ManagerOptions;
  private readonly log: Logger;
  private readonly controllers = new Map<string, Controller>();
  private state: 'new' | 'running' | 'stopped' = 'new';

  constructor(client: Client, options: ManagerOptions = {}) {
    this.client = client;
    this.options = options;
    this.log = options.log ?? silentLogger;
    this.informers = new InformerSet(client, {
      onError: (error) => this.log.warn('a watch failed; it goes on', { error }),
    });
    const component = options.name ?? 'tektite';
    this.events = new EventRecorder(client, { component, instance: hostname(), log: this.log, ...options.events });
  }

  /** Throws `CONTROLLER_EXISTS` for a name that is taken. */
  add(definition: ControllerDefinition): Controller {
    const { name } = definition;
    if (this.controllers.has(name))
      throw new ControllerError('CONTROLLER_EXISTS', `there is a controller ${JSON.stringify(name)} already`);
    const { ownership, metrics, concurrency, timeoutMs, namespace } = this.options;
    const scoped =
      namespace !== undefined && definition.kind.scope === 'Namespaced' && definition.namespace === undefined;
    const mine = typeof ownership === 'function' ? ownership(name) : ownership;
    const controller = new Controller(scoped ? { ...definition, namespace } : definition, {
      client: this.client,
      informers: this.informers,
      events: this.events,
      log: this.log,
      ...(mine ? { ownership: mine } : {}),
      ...(metrics ? { metrics } : {}),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    this.controllers.set(name, controller);
    if (this.state === 'running') controller.start();
    return controller;
  }

  /** Stops a controller and forgets it. */
  async remove(name: string): Promise<void> {
    const controller = this.controllers.get(name);
    this.controllers.delete(name);
    await controller?.stop(this.options.graceMs ?? defaultGraceMs);
  }

  start(): this {
    if (this.state !== 'new') return this;
    this.state = 'running';
    for (const controller of this.controllers.values()) controller.start();
    this.log.info('controllers started', { controllers: [...this.controllers.keys()] });
    return this;
  }

  /** Resolves when the caches of all controllers are complete. */
  async synced(signal?: AbortSignal): Promise<void> {
    for (const controller of this.controllers.values()) await controller.synced(signal);
  }

  /** Starts, and stops when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.start();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.stop();
  }

  async stop(): Promise<void> {
    this.state = 'stopped';
    const graceMs = this.options.graceMs ?? defaultGraceMs;
    await Promise.all([...this.controllers.values()].map((controller) => controller.stop(graceMs)));
    await this.events[Symbol.asyncDispose]();
    await this.informers.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  health(): ManagerHealth {
    const controllers = new Map([...this.controllers].map(([name, controller]) => [name, controller.health()]));
    const informers = this.informers.health();
    const ready = this.state === 'running' && [...controllers.values()].every(({ state }) => state === 'running');
    const healthy =
      [...controllers.values()].every(({ healthy: well, state }) => well || state === 'syncing') &&
      [...informers.values()].every(({ healthy: well, synced }) => well || !synced);
    return { healthy, ready, controllers, informers };
  }

  /** Resolves when no controller works on these objects: for an election that is about to give them away. */
  async idle(concerns: (key: string) => boolean, controller?: string): Promise<void> {
    const all = [...this.controllers].filter(([name]) => controller === undefined || name === controller);
    await Promise.all(all.map(([, each]) => each.idle(concerns)));
  }

  /**
   * The recent reconciles of an object, with causes and results, by all controllers of its kind. The kind by any name
   * that kubectl would take: `Memcached`, `memcacheds`, `mc`.
   */
  explain(kind: string, key: string): readonly ReconcileRecord[] {
    const records: ReconcileRecord[] = [];
    for (const { definition, history } of this.controllers.values())
      if (isCalled(definition.kind, kind)) records.push(...history.of(key));
    return records.sort((a, b) => a.startedAt - b.startedAt);
  }
}

function isCalled({ kind, plural, singular, shortNames, group }: Kind, name: string): boolean {
  const names = [kind, plural, singular, `${plural}.${group}`, ...shortNames];
  return names.some((each) => each.toLowerCase() === name.toLowerCase());
}
