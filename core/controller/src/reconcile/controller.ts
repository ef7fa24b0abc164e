import { setMaxListeners } from 'node:events';
import type { Client } from '@tektite/client';
import { type KubeObject, sleep } from '@tektite/meta';
import type { CachedObject } from '../cache/cached-object.ts';
import { cacheKey } from '../cache/cached-object.ts';
import type { Informer } from '../cache/informer.ts';
import type { InformerSet } from '../cache/informer-set.ts';
import type { ReadYourWrites } from '../cache/read-your-writes.ts';
import { ControllerError } from '../controller-error.ts';
import { everything, type Ownership } from '../election/ownership.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../logger.ts';
import type { AddOptions, WorkItem } from '../queue/queue.ts';
import { controllerQueue, type RateLimitingQueue } from '../queue/rate-limiting-queue.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { describeCauses, ReconcileHistory } from './history.ts';
import type { Outcome, ReconcileMetrics } from './reconcile-metrics.ts';
import { ReconcileRun, type RunParts } from './reconcile-run.ts';
import type { Result } from './result.ts';
import type { RunningSource, Source, SourceTarget } from './source.ts';
import { Watchdog } from './watchdog.ts';
import { startWatch } from './watch-source.ts';

/** The dependencies that a manager passes to its controllers. */
export interface ControllerParts {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly ownership?: Ownership;
  readonly metrics?: ReconcileMetrics;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

/** How a controller is doing. */
export interface ControllerHealth {
  readonly state: 'syncing' | 'running' | 'stopped';
  /** Running, and nothing hangs. */
  readonly healthy: boolean;
  /** Objects that wait for a worker, or for their time. */
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** Objects whose reconcile exceeded its timeout and has not returned: they are not reconciled until it does. */
  readonly stuck: readonly string[];
}

const defaultConcurrency = 4;
const defaultTimeoutMs = 300_000;
const maxWithoutTurn = 64;

/**
 * Runs one definition: follows its sources, and calls its reconciler for one object after the other, several at a time.
 * `Reconciler` states the guarantees. A reconciler that throws, returns nonsense, or never returns does not block other
 * objects. Created by a `Manager`.
 */
export class Controller {
  readonly definition: ControllerDefinition;
  readonly history = new ReconcileHistory();
  private readonly parts: ControllerParts;
  private readonly ownership: Ownership;
  private readonly log: Logger;
  private readonly queue: RateLimitingQueue;
  private readonly watchdog: Watchdog<ReconcileRun>;
  private readonly sources = new Map<Source, RunningSource>();
  private own: (RunningSource & { readonly informer: Informer<KubeObject, CachedObject> }) | undefined;
  /** The last writes for each object that the caches may not show yet. */
  private readonly writes = new Map<string, ReadYourWrites>();
  /** Running reconciles, each with the callback that frees its worker early. */
  private readonly running = new Map<ReconcileRun, () => void>();
  private readonly stuck = new Set<ReconcileRun>();
  private readonly stopping = new AbortController();
  private workers: Promise<void> | undefined;
  private gained: Disposable | undefined;
  private state: ControllerHealth['state'] = 'syncing';
  private count = 0;
  /** Reconciles since timers and sockets last had a chance. */
  private sinceTurn = 0;

  constructor(definition: ControllerDefinition, parts: ControllerParts) {
    this.definition = definition;
    this.parts = parts;
    this.ownership = parts.ownership ?? everything;
    this.log = parts.log.with({ controller: definition.name, kind: definition.kind.kind });
    const metrics = parts.metrics?.queue?.(definition.name);
    this.queue = controllerQueue({
      clock: parts.client.clock,
      random: parts.client.random,
      ...(definition.backoff ? { backoff: definition.backoff } : {}),
      ...(definition.bucket ? { bucket: definition.bucket } : {}),
      ...(metrics ? { metrics } : {}),
    });
    const limit = definition.timeoutMs ?? parts.timeoutMs ?? defaultTimeoutMs;
    this.watchdog = new Watchdog(parts.client.clock, limit, (run) => this.tooLate(run, limit));
  }

  /** Starts to follow the sources, and to work as soon as all caches are complete. */
  start(): this {
    if (this.own || this.stopping.signal.aborted) return this;
    const { definition } = this;
    const target: SourceTarget = {
      add: (key, options) => this.add(key, options),
      keys: () => this.own?.informer.store.keys() ?? [],
      kind: definition.kind,
      informers: this.parts.informers,
      clock: this.parts.client.clock,
      onError: (error) => this.log.error('a source failed', { error }),
    };
    this.own = startWatch(
      definition.kind,
      definition,
      ({ metadata }) => [cacheKey(metadata)],
      target,
      definition.resyncMs,
    );
    for (const source of definition.sources ?? []) this.sources.set(source, source.start(target));
    this.gained = this.ownership.onGained((owns) => this.takeOver(owns));
    this.workers = this.work(this.own.informer, this.stopping.signal);
    return this;
  }

  /** Resolves when all caches are complete. */
  async synced(signal?: AbortSignal): Promise<void> {
    await this.own?.synced(signal);
    for (const source of this.sources.values()) await source.synced(signal);
  }

  health(): ControllerHealth {
    const stuck = [...this.stuck].map(({ key }) => key);
    return {
      state: this.state,
      healthy: this.state === 'running' && stuck.length === 0,
      waiting: this.queue.size,
      delayed: this.queue.delayedSize,
      running: this.running.size,
      stuck,
    };
  }

  /** Resolves when none of these objects is being worked on. For who is about to give them away. */
  async idle(concerns: (key: string) => boolean): Promise<void> {
    const busy = [...this.running.keys()].filter(({ key }) => concerns(key));
    await Promise.all(busy.map(({ ended }) => ended));
  }

  /**
   * Takes no new key, lets running reconciles complete for `graceMs`, then aborts them. Waiting keys are dropped: the
   * next process reconciles every object at its start.
   */
  async stop(graceMs: number = 0): Promise<void> {
    this.stopping.abort(stoppedError());
    this.gained?.[Symbol.dispose]();
    this.queue.shutdown();
    const grace = new AbortController();
    const ended = Promise.resolve(this.workers).then(() => grace.abort());
    if (graceMs > 0 && this.running.size > 0)
      await sleep(this.parts.client.clock, graceMs, grace.signal).catch(() => undefined);
    for (const run of this.running.keys()) run.abort(stoppedError());
    // Reconciles that respect the signal end now. The others are not awaited: their writes are rejected.
    await settle();
    for (const free of this.running.values()) free();
    await ended;
    this.watchdog[Symbol.dispose]();
    const sources = [...(this.own ? [this.own] : []), ...this.sources.values()];
    await Promise.all(sources.map((source) => source.stop()));
    this.state = 'stopped';
  }

  private add(key: string, options: AddOptions): void {
    if (this.ownership.owns(key)) this.queue.add(key, options);
  }

  /** Newly acquired keys belonged to another process, which may have left them unfinished. */
  private takeOver(owns: (key: string) => boolean): void {
    const kind = this.definition.kind.kind;
    for (const key of this.own?.informer.store.keys() ?? [])
      if (owns(key)) this.queue.add(key, { lane: 'bulk', cause: { kind, object: key, change: 'taken over' } });
  }

  private async work(own: Informer<KubeObject, CachedObject>, signal: AbortSignal): Promise<void> {
    try {
      await this.synced(signal);
    } catch {
      return;
    }
    this.state = 'running';
    const { definition, parts } = this;
    const runParts: RunParts = {
      definition,
      client: parts.client,
      informers: parts.informers,
      own,
      events: parts.events,
      ownership: this.ownership,
      informerOf: (source) => this.sources.get(source)?.informer,
    };
    const concurrency = definition.concurrency ?? parts.concurrency ?? defaultConcurrency;
    await Promise.all(Array.from({ length: concurrency }, () => this.worker(runParts)));
  }

  private async worker(parts: RunParts): Promise<void> {
    for (let item = await this.queue.get(); item; item = await this.queue.get()) {
      if (this.ownership.owns(item.key)) await this.reconcile(parts, item);
      else this.queue.done(item.key);
      // In process everything may go on for ever without a turn of the event loop: no timer would run, and no signal be heard.
      if (++this.sinceTurn < maxWithoutTurn) continue;
      this.sinceTurn = 0;
      await settle();
    }
  }

  /** Resolves when the worker is free: the reconcile ended, or was given up. */
  private reconcile(parts: RunParts, item: WorkItem): Promise<void> {
    const attempt = this.queue.retries(item.key);
    const number = ++this.count;
    const run = new ReconcileRun(parts, item, attempt, () => this.logFor(item.key, number));
    const unfollow = this.followOwnership(run);
    return new Promise((free) => {
      this.begin(run, free);
      void run.run(this.writes.get(item.key)).then((result) => {
        unfollow();
        this.end(run, result);
        free();
      });
    });
  }

  /** Aborts the run when its object becomes another process's. */
  private followOwnership(run: ReconcileRun): () => void {
    if (this.ownership === everything) return () => undefined;
    const lost = this.ownership.signalFor(run.key);
    const lose = () => run.abort(lost.reason as Error);
    // As many as there are workers listen to one signal; Node warns of more than ten.
    setMaxListeners(0, lost);
    lost.addEventListener('abort', lose, { once: true });
    if (lost.aborted) lose();
    return () => lost.removeEventListener('abort', lose);
  }

  private logFor(key: string, reconcile: number): Logger {
    const [name = '', namespace] = key.split('/').toReversed();
    return this.log.with({ ...(namespace ? { namespace } : {}), name, reconcile });
  }

  private begin(run: ReconcileRun, free: () => void): void {
    this.running.set(run, free);
    this.watchdog.begin(run);
    this.parts.metrics?.running?.(this.definition.name, this.running.size);
    if (this.log.debugs) run.log.debug('reconciling', { causes: describeCauses(run.item) });
  }

  private tooLate(run: ReconcileRun, limit: number): void {
    const error = new ControllerError('RECONCILE_TIMEOUT', `the reconcile of ${run.key} took longer than ${limit} ms`);
    run.log.error('reconcile takes too long; it was aborted', { error, causes: describeCauses(run.item) });
    run.abort(error);
    // The worker goes on with others. This object waits until its reconcile returns, so that never two run.
    this.stuck.add(run);
    this.running.get(run)?.();
  }

  private end(run: ReconcileRun, result: Result): void {
    const { key, item } = run;
    this.watchdog.end(run);
    this.stuck.delete(run);
    this.running.delete(run);
    if (run.writes.outstanding > 0 && this.own?.informer.store.get(key)) this.writes.set(key, run.writes);
    else this.writes.delete(key);
    const outcome = run.outcome(result);
    const kind = this.definition.kind.kind;
    const retry = { causes: item, cause: { kind, object: key, change: 'retry' } };
    let wait: number | undefined;
    if (outcome === 'error' || outcome === 'conflict' || outcome === 'timeout')
      wait = this.queue.addRateLimited(key, retry);
    else this.queue.forget(key);
    if (outcome === 'requeueAfter' && result.type === 'requeueAfter') {
      wait = result.milliseconds;
      this.queue.addAfter(key, wait, { cause: { kind, object: key, change: 'timer' } });
    }
    this.queue.done(key);
    run.finish();
    this.notify(run, result, wait);
  }

  private notify(run: ReconcileRun, result: Result, wait: number | undefined): void {
    const { clock } = this.parts.client;
    const durationMs = clock.monotonic() - run.startedAt;
    const outcome = run.outcome(result);
    const error = result.type === 'error' || result.type === 'terminalError' ? result.error : undefined;
    this.parts.metrics?.reconciled?.(this.definition.name, outcome, durationMs);
    this.parts.metrics?.running?.(this.definition.name, this.running.size);
    const { causes, omitted } = run.item;
    this.history.add({
      controller: this.definition.name,
      key: run.key,
      startedAt: clock.now() - durationMs,
      durationMs,
      outcome,
      causes,
      omitted,
      ...(error ? { error: error.message } : {}),
      ...(wait === undefined ? {} : { nextAt: clock.now() + wait }),
    });
    this.write(run, outcome, durationMs, error);
  }

  private write(run: ReconcileRun, outcome: Outcome, durationMs: number, error: Error | undefined): void {
    const loud = outcome === 'error' || outcome === 'terminalError' || outcome === 'timeout';
    if (!loud && !this.log.debugs) return;
    const fields = { outcome, durationMs, causes: describeCauses(run.item), ...(error ? { error } : {}) };
    if (loud) run.log.error('reconcile failed', fields);
    else run.log.debug('reconciled', fields);
  }
}

/** A turn of the event loop: all who wait for the signal have heard it. */
function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function stoppedError(): ControllerError {
  return new ControllerError('RECONCILE_STOPPED', 'the controller was stopped');
}
