import { setMaxListeners } from 'node:events';
import {
  ClientError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportStream,
  type WireEvent,
} from '@tektite/client';
import {
  type Clock,
  conflictError,
  expiredError,
  internalServerError,
  type Random,
  sleep,
  type StatusError,
  tooManyRequestsError,
} from '@tektite/meta';
import { RecentLists } from './recent-lists.ts';

/** Faults of requests, in the order in which they are considered. */
export const requestFaults = [
  /** The request waits up to `maxDelayMs` before it is sent, so that later ones overtake it. */
  'delay',
  /** The connection breaks before the server sees the request. */
  'refuse',
  /** The request never arrives, and the caller times out after 30 seconds. */
  'drop',
  /** 429 with Retry-After: 1. */
  'overload',
  /** 500, before anything was done. */
  'fail',
  /** A write is answered with 500 because the disk of the server is full. */
  'full',
  /** An update or patch is answered with 409, as after a concurrent write. */
  'conflict',
  /** A list that allows any version (`resourceVersion=0`) is answered by a replica that is behind. */
  'stale',
  /** The server does as requested, but no answer comes until the caller times out, after 30 seconds. */
  'hang',
  /** The server does as requested, but the connection breaks before the answer arrives. */
  'lose',
  /** The server does as requested, and the answer takes up to `maxDelayMs`. */
  'late',
] as const;

/** Faults of each event of a watch, in the order in which they are considered. */
export const watchFaults = [
  /** The stream breaks instead of delivering the event. */
  'cut',
  /** The watch reports a compacted history (410) instead of delivering the event, and ends. */
  'expire',
  /** The stream is silent for 30 seconds and then breaks. */
  'stall',
  /** The event and all that follow come up to `maxDelayMs` later. Caches are that much behind. */
  'lag',
  /** The event comes twice. */
  'repeat',
  /** A bookmark of the event's resourceVersion follows, twice. */
  'bookmark',
] as const;

export type TransportFault = (typeof requestFaults)[number] | (typeof watchFaults)[number];

/** How often each fault occurs: 0 never, 1 always. Faults that are left out never occur. */
export type FaultRates = { readonly [fault in TransportFault]?: number };

/**
 * Decides whether a fault strikes a request or an event of its watch. Returns how hard, from 0 to 1, which becomes the length of delays;
 * undefined: it does not.
 */
export type FaultDecision = (fault: TransportFault, request: TransportRequest) => number | undefined;

export interface FaultOptions {
  readonly random: Random;
  readonly clock: Clock;
  readonly rates: FaultRates;
  /** Default one second. */
  readonly maxDelayMs?: number;
}

export interface DecidedFaultOptions extends Omit<FaultOptions, 'random' | 'rates'> {
  readonly decide: FaultDecision;
}

const patienceMs = 30_000;

/** A transport on which things go wrong, the same way each time for the same seed. */
export interface FaultyTransport extends Transport {
  /** Stops all faults, so that a test can check the final state. */
  heal(): void;
  /** The injected faults, for a failing test to print. */
  readonly faults: readonly string[];
}

/**
 * Puts faults between a client and its server.
 *
 * @example
 * const transport = faultyTransport(plane.transport(), { random: seededRandom(7), clock, rates: { lose: 0.05, cut: 0.1 } });
 */
export function faultyTransport(inner: Transport, options: FaultOptions | DecidedFaultOptions): FaultyTransport {
  const { clock, maxDelayMs = 1000 } = options;
  const decide = 'decide' in options ? options.decide : byRates(options);
  const recent = new RecentLists();
  const faults: string[] = [];
  let isHealed = false;

  function strikes(fault: TransportFault, request: TransportRequest): number | undefined {
    const amount = isHealed ? undefined : decide(fault, request);
    if (amount !== undefined) faults.push(`${fault} ${request.method} ${request.path}`);
    return amount;
  }

  async function before(request: TransportRequest): Promise<void> {
    // One signal may end all watches of a process; that is no leak to warn about.
    if (request.signal) setMaxListeners(0, request.signal);
    const wait = strikes('delay', request);
    if (wait !== undefined) await sleep(clock, wait * maxDelayMs, request.signal);
    if (strikes('refuse', request) !== undefined) throw broken('the connection was refused by a seeded fault');
    if (strikes('drop', request) !== undefined) await timeOut(request);
  }

  async function timeOut({ signal }: TransportRequest): Promise<never> {
    await sleep(clock, patienceMs, signal);
    throw new ClientError('TIMEOUT', 'no answer came, by a seeded fault');
  }

  /** The answer that a fault gives instead of the server. */
  function insteadOf(request: TransportRequest): TransportResponse | undefined {
    if (strikes('overload', request) !== undefined)
      return failure(tooManyRequestsError('seeded fault', 1), { 'retry-after': '1' });
    if (strikes('fail', request) !== undefined) return failure(internalServerError('seeded fault'));
    if (request.method !== 'GET' && strikes('full', request) !== undefined)
      return failure(internalServerError('seeded fault: no space left on device'));
    if ((request.method === 'PUT' || request.method === 'PATCH') && strikes('conflict', request) !== undefined) {
      const [name = '', resource = ''] = request.path.split('/').toReversed();
      return failure(conflictError({ group: '', resource }, name));
    }
    const stale = recent.before(request);
    return stale && strikes('stale', request) !== undefined ? stale : undefined;
  }

  async function request(request: TransportRequest): Promise<TransportResponse> {
    await before(request);
    const instead = insteadOf(request);
    if (instead) return instead;
    const response = await inner.request(request);
    recent.remember(request, response);
    if (strikes('hang', request) !== undefined) await timeOut(request);
    if (strikes('lose', request) !== undefined) throw broken('the answer was lost by a seeded fault');
    const wait = strikes('late', request);
    if (wait !== undefined) await sleep(clock, wait * maxDelayMs, request.signal);
    return response;
  }

  async function* faultyEvents(stream: AsyncIterable<WireEvent>, request: TransportRequest): AsyncGenerator<WireEvent> {
    for await (const event of stream) {
      if (strikes('cut', request) !== undefined) throw broken('the watch was cut by a seeded fault');
      if (strikes('expire', request) !== undefined) {
        yield { type: 'ERROR', object: expiredError('seeded fault').status };
        return;
      }
      if (strikes('stall', request) !== undefined) {
        await sleep(clock, patienceMs, request.signal);
        throw broken('the watch was silent and then cut by a seeded fault');
      }
      const lag = strikes('lag', request);
      if (lag !== undefined) await sleep(clock, lag * maxDelayMs, request.signal);
      yield event;
      if (event.type === 'ERROR') continue;
      if (strikes('repeat', request) !== undefined) yield event;
      if (event.type !== 'BOOKMARK' && isBookmarked(request) && strikes('bookmark', request) !== undefined)
        for (let i = 0; i < 2; i++) yield bookmarkOf(event);
    }
  }

  async function watch(request: TransportRequest): Promise<TransportStream<WireEvent>> {
    await before(request);
    const stream = await inner.watch(request);
    const { status, headers, warnings } = stream;
    const events = () => faultyEvents(stream, request);
    return { status, headers, warnings, close: () => stream.close(), [Symbol.asyncIterator]: events };
  }

  return {
    request,
    watch,
    stream: async (stream) => {
      await before(stream);
      return inner.stream(stream);
    },
    close: () => inner.close(),
    heal: () => {
      isHealed = true;
    },
    faults,
  };
}

function byRates({ random, rates }: FaultOptions): FaultDecision {
  return (fault) => {
    const rate = rates[fault] ?? 0;
    if (rate === 0 || random.next() >= rate) return undefined;
    return fault === 'delay' || fault === 'lag' || fault === 'late' ? random.next() : 0;
  };
}

function isBookmarked({ query }: TransportRequest): boolean {
  return query?.get('allowWatchBookmarks') === 'true';
}

/** The bookmark that a server sends when everything up to this version was delivered. */
function bookmarkOf({ object }: WireEvent): WireEvent {
  const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string; metadata: object };
  const { resourceVersion } = metadata as { resourceVersion: string };
  return { type: 'BOOKMARK', object: { apiVersion, kind, metadata: { resourceVersion } } as WireEvent['object'] };
}

function broken(message: string): ClientError {
  return new ClientError('CONNECTION_RESET', message);
}

function failure(error: StatusError, headers: Record<string, string> = {}): TransportResponse {
  return { status: error.code, headers, warnings: [], body: error.status };
}
