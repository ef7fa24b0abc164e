import { type Clock, tooManyRequestsError } from '@tektite/meta';
import type { FlowSchema, PriorityLevelConfiguration } from '@tektite/schema/kubernetes';
import type { UserInfo } from '../request/api-request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Storage } from '../storage/storage.ts';
import { matchesFlowSchema } from './flow-schema-match.ts';
import { type LevelLimits, PriorityLevel } from './priority-level.ts';

export interface FlowControllerParts {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Requests that may run at once in all levels together. */
  readonly seats: number;
}

/** A request that may run. Disposing it gives its seat to the next. */
export interface Seat extends Disposable {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

const schemaPrefix = '/registry/flowschemas/';
const levelPrefix = '/registry/prioritylevelconfigurations/';
const maxWaitMs = 15_000;
/** Requests that stay open are not counted, but for the start of a watch. */
const longRunning = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/**
 * API Priority and Fairness: flow schemas assign requests to priority levels, which have shares of the server. In a level,
 * flows (users, or namespaces) take turns.
 *
 * Guarantees
 * - A level always gets its nominal share, whatever others send; free seats are lent as far as the configuration allows.
 * - Within a level, a flow with many requests delays another by one request at a time.
 * - Requests of exempt levels never wait. Requests that find the queues full, or wait for too long, get a 429.
 *
 * Without flow schemas it lets everything pass.
 */
export class FlowController implements Disposable {
  private readonly parts: FlowControllerParts;
  private readonly subscriptions: readonly Disposable[];
  private schemas: readonly FlowSchema[] = [];
  private readonly levels = new Map<string, PriorityLevel>();
  private configurations = new Map<string, PriorityLevelConfiguration>();
  private isStale = true;

  constructor(parts: FlowControllerParts) {
    this.parts = parts;
    const { storage } = parts;
    this.subscriptions = [schemaPrefix, levelPrefix].map((prefix) =>
      storage.watch(prefix, storage.revision, () => {
        this.isStale = true;
      }),
    );
  }

  [Symbol.dispose](): void {
    for (const subscription of this.subscriptions) subscription[Symbol.dispose]();
  }

  /** Whether there is a configuration. */
  get isActive(): boolean {
    this.refresh();
    return this.schemas.length > 0;
  }

  /** A seat for a request, at once or after a wait; `undefined` where none is needed. Throws a 429. */
  enter(user: UserInfo, info: RequestInfo, signal?: AbortSignal): Seat | Promise<Seat> | undefined {
    this.refresh();
    if (this.schemas.length === 0 || longRunning.has(info.subresource)) return undefined;
    const schema = this.schemas.find((each) => matchesFlowSchema(each, user, info));
    const name = schema?.spec?.priorityLevelConfiguration.name ?? '';
    const level = this.levels.get(name);
    if (!schema || !level) return undefined;
    const seat = this.seatOf(level, schema, name);
    if (this.mayRun(level)) {
      level.running++;
      return seat;
    }
    const flow = `${schema.metadata.name}/${distinguisher(schema, user, info)}`;
    if (!level.hasRoomFor(flow)) throw tooManyRequests();
    return this.wait(level, flow, seat, signal);
  }

  private seatOf(level: PriorityLevel, schema: FlowSchema, name: string): Seat {
    let isTaken = true;
    return {
      flowSchemaUid: schema.metadata.uid ?? '',
      priorityLevelUid: this.configurations.get(name)?.metadata.uid ?? '',
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        level.running--;
        this.startWaiting();
      },
    };
  }

  private mayRun(level: PriorityLevel): boolean {
    const { nominal, borrowable } = level.limits;
    if (level.running < nominal) return true;
    if (level.borrowed >= borrowable) return false;
    let lent = 0;
    let borrowed = 0;
    for (const each of this.levels.values()) {
      lent += each.lent;
      borrowed += each.borrowed;
    }
    return borrowed < lent;
  }

  private wait(level: PriorityLevel, flow: string, seat: Seat, signal: AbortSignal | undefined): Promise<Seat> {
    return new Promise((resolve, reject) => {
      const finish = () => {
        timer[Symbol.dispose]();
        signal?.removeEventListener('abort', leave);
      };
      const cancel = level.enqueue(flow, () => {
        finish();
        resolve(seat);
      });
      const leave = () => {
        cancel();
        finish();
        reject(tooManyRequests());
      };
      const timer = this.parts.clock.setTimer(maxWaitMs, leave);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** A free seat may help any level that borrows. */
  private startWaiting(): void {
    for (const level of this.levels.values()) while (level.waiting > 0 && this.mayRun(level)) level.startNext();
  }

  /** Reads the configuration again after it changed. Running and waiting requests keep their level. */
  private refresh(): void {
    if (!this.isStale) return;
    this.isStale = false;
    const { storage, seats } = this.parts;
    const read = <T>(prefix: string) => storage.list(prefix).entries.map(({ value }) => value as T);
    const configurations = read<PriorityLevelConfiguration>(levelPrefix);
    this.configurations = new Map(configurations.map((each) => [each.metadata.name ?? '', each]));
    this.schemas = read<FlowSchema>(schemaPrefix)
      .filter(({ spec }) => this.configurations.has(spec?.priorityLevelConfiguration.name ?? ''))
      .sort(byPrecedence);
    const total = configurations.reduce((sum, each) => sum + sharesOf(each), 0);
    for (const [name, each] of this.configurations) {
      const limits = limitsOf(each, total === 0 ? 0 : Math.ceil((seats * sharesOf(each)) / total));
      const level = this.levels.get(name);
      if (level) level.limits = limits;
      else this.levels.set(name, new PriorityLevel(limits));
    }
    for (const [name, level] of this.levels)
      if (!this.configurations.has(name) && level.running + level.waiting === 0) this.levels.delete(name);
    this.startWaiting();
  }
}

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const order = (a.spec?.matchingPrecedence ?? 1000) - (b.spec?.matchingPrecedence ?? 1000);
  return order || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  return (
    spec?.limited?.nominalConcurrencyShares ?? (spec?.limited ? 30 : (spec?.exempt?.nominalConcurrencyShares ?? 0))
  );
}

function limitsOf({ spec }: PriorityLevelConfiguration, nominal: number): LevelLimits {
  const lendablePercent = spec?.limited?.lendablePercent ?? spec?.exempt?.lendablePercent ?? 0;
  const lendable = Math.round((nominal * lendablePercent) / 100);
  if (spec?.type === 'Exempt') return { nominal: Number.POSITIVE_INFINITY, lendable: 0, borrowable: 0 };
  const { borrowingLimitPercent, limitResponse } = spec?.limited ?? {};
  const borrowable =
    borrowingLimitPercent === undefined
      ? Number.POSITIVE_INFINITY
      : Math.round((nominal * borrowingLimitPercent) / 100);
  if (limitResponse?.type !== 'Queue') return { nominal, lendable, borrowable };
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = limitResponse.queuing ?? {};
  const sizes = { perFlow: Math.min(handSize, queues) * queueLengthLimit, total: queues * queueLengthLimit };
  return { nominal, lendable, borrowable, queues: sizes };
}

function distinguisher({ spec }: FlowSchema, user: UserInfo, { namespace }: RequestInfo): string {
  const type = spec?.distinguisherMethod?.type;
  if (type === 'ByUser') return user.name;
  return type === 'ByNamespace' ? namespace : '';
}

function tooManyRequests(): Error {
  return tooManyRequestsError('Too many requests, please try again later.', 1);
}
