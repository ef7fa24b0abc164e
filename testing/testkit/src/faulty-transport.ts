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

/** How often each thing goes wrong: 0 never, 1 always. What is left out never happens. */
export interface FaultRates {
  /** The connection breaks before the server sees the request. */
  readonly refuse?: number;
  /** The server does what it is asked, but the connection breaks before the answer arrives. */
  readonly lose?: number;
  /** A write is answered with 409, as after a concurrent write. */
  readonly conflict?: number;
  /** 429 with Retry-After: 1. */
  readonly overload?: number;
  /** 500, before anything was done. */
  readonly fail?: number;
  /** The server does what it is asked, but no answer comes until the caller loses patience, after 30 seconds. */
  readonly hang?: number;
  /** The request waits up to `maxDelayMs` before it is sent. */
  readonly delay?: number;
  /** Per event: the stream of a watch breaks instead of delivering it. */
  readonly cut?: number;
  /** Per event: the watch reports a compacted history (410) instead of delivering it, and ends. */
  readonly expire?: number;
  /** Per event: it, and all that follow, come up to `maxDelayMs` later. Caches are that much behind. */
  readonly lag?: number;
  /** Per event: it comes twice. */
  readonly repeat?: number;
}

export interface FaultOptions {
  readonly random: Random;
  readonly clock: Clock;
  readonly rates: FaultRates;
  /** Default one second. */
  readonly maxDelayMs?: number;
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
export function faultyTransport(inner: Transport, options: FaultOptions): FaultyTransport {
  const { random, clock, maxDelayMs = 1000 } = options;
  const faults: string[] = [];
  let rates = options.rates;

  function strikes(fault: keyof FaultRates, { method, path }: TransportRequest): boolean {
    const rate = rates[fault] ?? 0;
    if (rate === 0 || random.next() >= rate) return false;
    faults.push(`${fault} ${method} ${path}`);
    return true;
  }

  async function before(request: TransportRequest): Promise<void> {
    if (strikes('delay', request)) await sleep(clock, random.next() * maxDelayMs, request.signal);
    if (strikes('refuse', request)) throw broken('the connection was refused by a seeded fault');
  }

  async function request(request: TransportRequest): Promise<TransportResponse> {
    await before(request);
    if (strikes('overload', request)) return failure(tooManyRequestsError('seeded fault', 1), { 'retry-after': '1' });
    if (strikes('fail', request)) return failure(internalServerError('seeded fault'));
    if ((request.method === 'PUT' || request.method === 'PATCH') && strikes('conflict', request)) {
      const [name = '', resource = ''] = request.path.split('/').toReversed();
      return failure(conflictError({ group: '', resource }, name));
    }
    const response = await inner.request(request);
    if (strikes('hang', request)) {
      await sleep(clock, patienceMs, request.signal);
      throw new ClientError('TIMEOUT', 'no answer came, by a seeded fault');
    }
    if (strikes('lose', request)) throw broken('the answer was lost by a seeded fault');
    return response;
  }

  async function watch(request: TransportRequest): Promise<TransportStream<WireEvent>> {
    await before(request);
    const stream = await inner.watch(request);
    const { status, headers, warnings } = stream;
    async function* events(): AsyncGenerator<WireEvent> {
      for await (const event of stream) {
        if (strikes('cut', request)) throw broken('the watch was cut by a seeded fault');
        if (strikes('expire', request)) {
          yield { type: 'ERROR', object: expiredError('seeded fault').status };
          return;
        }
        if (strikes('lag', request)) await sleep(clock, random.next() * maxDelayMs, request.signal);
        yield event;
        if (event.type !== 'ERROR' && strikes('repeat', request)) yield event;
      }
    }
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
      rates = {};
    },
    faults,
  };
}

function broken(message: string): ClientError {
  return new ClientError('CONNECTION_RESET', message);
}

function failure(error: StatusError, headers: Record<string, string> = {}): TransportResponse {
  return { status: error.code, headers, warnings: [], body: error.status };
}
