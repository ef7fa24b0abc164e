import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import { type Clock, isTerminalError, type Random, sleep } from '@tektite/meta';
import type { ResolverConfig } from './resolver.ts';

interface Backoff {
  /** How long the first wait is. */
  readonly durationMs: number;
  readonly factor: number;
  /** By how much of itself a wait may be longer. */
  readonly jitter: number;
  /** How often it is tried in all. */
  readonly steps: number;
  readonly capMs: number;
}

/** The settings `backoff-*` of a resolver. One that makes no sense counts as absent. */
export function backoffOf(config: ResolverConfig): Backoff {
  const number = (key: string, fallback: number, least = 0) => {
    const text = config[`backoff-${key}`];
    const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) && value >= least ? value : fallback;
  };
  const duration = (key: string, fallback: number) => {
    try {
      const value = goDurationToMilliseconds(parseGoDuration(config[`backoff-${key}`] ?? ''));
      return value >= 0 ? value : fallback;
    } catch {
      return fallback;
    }
  };
  return {
    durationMs: duration('duration', 2000),
    factor: number('factor', 2),
    jitter: number('jitter', 0.1),
    steps: Math.floor(number('steps', 2, 1)),
    capMs: duration('cap', 10_000),
  };
}

export interface RetryPlace {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Tries until it works, as often as the settings say. Throws the last error, or a TerminalError at once. */
export async function retry<T>(
  { durationMs, factor, jitter, steps, capMs }: Backoff,
  { clock, random, signal }: RetryPlace,
  attempt: () => Promise<T>,
): Promise<T> {
  let wait = durationMs;
  for (let step = 1; ; step++) {
    try {
      return await attempt();
    } catch (error) {
      if (step >= steps || isTerminalError(error) || signal.aborted) throw error;
    }
    await sleep(clock, wait * (1 + random.next() * jitter), signal);
    wait = Math.min(wait * factor, capMs);
  }
}
