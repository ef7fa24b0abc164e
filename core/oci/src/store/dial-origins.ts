import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect, isIP } from 'node:net';
import { proxyFromEnvironment } from '@tektite/client';
import { type Clock, systemClock } from '@tektite/meta';

export interface DialOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Opens a connection to one of these origins, or to the proxy on the way there, and closes it. Rejects when none is open in time. Where all
 * refuse, or the name server does not know them, it resolves: the request that follows has the better words for it.
 *
 * Requests alone would not do: a connection to an address without a host takes their client ten seconds, and a name server that does
 * not answer takes the C library longer, in one of the few threads that read files, too.
 */
export async function dialOrigins(origins: readonly string[], options: DialOptions): Promise<void> {
  const { timeoutMs, clock = systemClock } = options;
  const end = new AbortController();
  using _timer = clock.setTimer(timeoutMs, () => end.abort(late));
  const signal = AbortSignal.any([options.signal, end.signal]);
  const places = origins.map((origin) => placeOf(proxyFromEnvironment(origin, process.env) ?? origin));
  const dials = places.map((place) => dial(place, timeoutMs, signal));
  try {
    await Promise.any(dials);
  } catch (error) {
    options.signal.throwIfAborted();
    const isLate = (error as AggregateError).errors.map((each) => each === late);
    const { host, port } = places[isLate.lastIndexOf(true)] ?? { host: '', port: 0 };
    if (isLate.includes(true))
      throw new Error(`dial tcp ${host}:${port}: no answer within ${timeoutMs / 1000} s`, { cause: error });
  } finally {
    end.abort();
  }
}

const late = new Error('no answer in time');

interface Place {
  readonly host: string;
  readonly port: number;
}

function placeOf(origin: string): Place {
  const { protocol, hostname, port } = new URL(origin);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'http:' ? 80 : 443) };
}

async function dial(place: Place, timeoutMs: number, signal: AbortSignal): Promise<void> {
  await askNameServer(place.host, timeoutMs, signal);
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const socket = connect(place);
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      settle();
    };
    const stop = () => finish(() => reject(signal.reason as Error));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => finish(resolve)).once('error', (error) => finish(() => reject(error)));
  });
}

/** Rejects when the name server does not answer. Whatever it answers will do: the name may be known in another way. */
async function askNameServer(host: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (isIP(host) !== 0 || host === 'localhost' || (await isInHostsFile(host))) return;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await resolver.resolve4(host);
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ETIMEOUT') throw late;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function isInHostsFile(host: string): Promise<boolean> {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return text.split('\n').some((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(host));
}
