import type { Client } from '@tektite/client';
import { formatApiVersion, isStatusError, type KubeObject } from '@tektite/meta';
import type { Informer } from '../cache/informer.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { type InformerSource, ReadYourWrites } from '../cache/read-your-writes.ts';
import { ControllerError, isControllerError } from '../controller-error.ts';
import { fencedClient } from '../election/fenced-client.ts';
import { everything, type Ownership } from '../election/ownership.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../logger.ts';
import { traced } from './trace-reconcile.ts';
import type { WorkItem } from '../queue/queue.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { finalizerStep, holdObject, releaseObject } from './finalize.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import type { Outcome } from './reconcile-metrics.ts';
import { done, readResult, type Result, resultOfThrown } from './result.ts';
import type { CachedSource } from './source.ts';
import { type SourceCache, sourceCache } from './watch-source.ts';
import { writeStatus } from './write-status.ts';

/** The dependencies that all reconciles of a controller share. */
export interface RunParts {
  readonly definition: ControllerDefinition;
  readonly client: Client;
  readonly informers: InformerSource;
  readonly own: Informer<KubeObject, CachedObject>;
  readonly events: EventRecorder;
  readonly ownership: Ownership;
  readonly informerOf: (source: CachedSource) => Informer<KubeObject, CachedObject> | undefined;
}

/** One reconcile of one object, from start to end. */
export class ReconcileRun {
  readonly key: string;
  readonly startedAt: number;
  readonly item: WorkItem;
  /** The writes that the next reconcile waits for. */
  readonly writes: ReadYourWrites;
  /** Resolves when the reconcile has ended and `finish` was called. */
  readonly ended: Promise<void>;
  finish: () => void = () => undefined;
  private readonly parts: RunParts;
  private readonly attempt: number;
  private readonly makeLog: () => Logger;
  private ownLog: Logger | undefined;
  private readonly controller = new AbortController();

  constructor(parts: RunParts, item: WorkItem, attempt: number, makeLog: () => Logger) {
    this.parts = parts;
    this.item = item;
    this.key = item.key;
    this.attempt = attempt;
    this.makeLog = makeLog;
    this.startedAt = parts.client.clock.monotonic();
    this.ended = new Promise((resolve) => {
      this.finish = resolve;
    });
    const { ownership } = parts;
    const claim = ownership === everything ? undefined : { ownership, key: item.key };
    this.writes = new ReadYourWrites(fencedClient(parts.client, this.controller.signal, claim), parts.informers);
  }

  /** Created on first use: most reconciles do not log. */
  get log(): Logger {
    return (this.ownLog ??= this.makeLog());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** Never rejects. `before` are the writes of the last reconcile of this object. */
  run(before: ReadYourWrites | undefined): Promise<Result> {
    const { definition, own } = this.parts;
    const object = definition.traceOf && own.store.get(this.key);
    return traced(definition, this.key, object && definition.traceOf?.(object), async () => {
      try {
        await before?.caughtUp(this.signal);
        return await this.observeAndReconcile();
      } catch (thrown) {
        return resultOfThrown(thrown);
      }
    });
  }

  /** How a result counts. Who was aborted may return whatever it wants. */
  outcome(result: Result): Outcome {
    if (this.signal.aborted) return isControllerError(this.signal.reason, 'RECONCILE_TIMEOUT') ? 'timeout' : 'aborted';
    if (result.type === 'error' && (isStatusError(result.error, 'Conflict') || this.isDeleted(result.error)))
      return 'conflict';
    return result.type;
  }

  /** Whether a write failed because the object itself was deleted meanwhile. The cache will show the deletion. */
  private isDeleted(error: Error): boolean {
    if (!isStatusError(error, 'NotFound')) return false;
    const { name, kind, group = '' } = error.status.details ?? {};
    const own = this.parts.definition.kind;
    return name === this.key.split('/').at(-1) && kind === own.plural && group === own.group;
  }

  private async observeAndReconcile(): Promise<Result> {
    const { definition, own } = this.parts;
    const object = own.store.get(this.key);
    if (!object) return readResult(await definition.gone?.(this.key, this.context(undefined)));
    if (!definition.finalizer) return readResult(await definition.reconcile(object, this.context(object)));
    return this.reconcileWithFinalizer(object as KubeObject);
  }

  private async reconcileWithFinalizer(object: KubeObject): Promise<Result> {
    const { definition } = this.parts;
    const { name, cleanup } = definition.finalizer ?? { name: '', cleanup: () => done };
    const { client } = this.writes;
    switch (finalizerStep(object, name)) {
      case 'hold': {
        await holdObject(client, object, name, this.signal);
        await this.writes.caughtUp(this.signal);
        const held = this.parts.own.store.get(this.key);
        // The next reconcile observes a concurrent write.
        if (!held || finalizerStep(held as KubeObject, name) !== 'work') return this.observeAndReconcile();
        return readResult(await definition.reconcile(held, this.context(held)));
      }
      case 'work':
        return readResult(await definition.reconcile(object, this.context(object)));
      case 'clean': {
        const result = readResult(await cleanup.call(definition.finalizer, object, this.context(object)));
        if (result.type === 'done') await releaseObject(client, object, name, this.signal);
        return result;
      }
      case 'gone':
        return done;
    }
  }

  private context(object: CachedObject | undefined): ReconcileContext {
    return new RunContext(this, this.parts, this.attempt, object);
  }
}

/** Created for each reconcile: expensive getters and functions are created on first use. */
class RunContext implements ReconcileContext {
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly client: Client;
  readonly clock: Client['clock'];
  readonly random: Client['random'];
  readonly causes: WorkItem;
  readonly attempt: number;
  readonly cache: ReconcileContext['cache'];
  readonly event: ReconcileContext['event'];
  readonly writeStatus: ReconcileContext['writeStatus'];
  readonly caughtUp: ReconcileContext['caughtUp'];
  private readonly run: ReconcileRun;

  constructor(run: ReconcileRun, parts: RunParts, attempt: number, object: CachedObject | undefined) {
    const { definition, events, informerOf } = parts;
    const { client } = run.writes;
    const slash = run.key.indexOf('/');
    const namespace = slash < 0 ? undefined : run.key.slice(0, slash);
    const name = run.key.slice(slash + 1);
    this.run = run;
    this.key = run.key;
    this.namespace = namespace;
    this.name = name;
    this.client = client;
    this.clock = client.clock;
    this.random = client.random;
    this.causes = run.item;
    this.attempt = attempt;
    this.cache = <Out extends CachedObject>(source: CachedSource<Out>) => {
      const informer = informerOf(source as CachedSource);
      if (!informer) {
        throw new ControllerError(
          'SOURCE_UNKNOWN',
          `${source.describe} is not among the sources of the controller ${definition.name}`,
        );
      }
      return sourceCache(informer.store) as SourceCache<Out>;
    };
    this.event = (text) => events.event(object ? (object as KubeObject) : absent(definition, namespace, name), text);
    this.writeStatus = (written, status) => writeStatus(client, written, status, run.signal);
    this.caughtUp = () => run.writes.caughtUp(run.signal);
  }

  get signal(): AbortSignal {
    return this.run.signal;
  }

  get log(): Logger {
    return this.run.log;
  }
}

/** A placeholder for an object that does not exist. */
function absent({ kind }: ControllerDefinition, namespace: string | undefined, name: string): KubeObject {
  return {
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace ? { namespace } : {}) },
  };
}
