import type { Pool } from 'undici';
import { headers } from '../server-process.ts';

/** Times of answers, in milliseconds. */
export class Latencies {
  private readonly times: number[] = [];
  failures = 0;

  get count(): number {
    return this.times.length;
  }

  add(milliseconds: number): void {
    this.times.push(milliseconds);
  }

  /** The time within which that share of the answers came. */
  quantile(share: number): number {
    const sorted = this.times.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  }
}

/** Sends a request again and again, at an interval that does not depend on the answers, until it is stopped. */
export function probe(
  pool: Pool,
  intervalMs: number,
  request: (round: number) => { readonly path: string; readonly method?: 'GET' | 'PUT'; readonly body?: string },
): { readonly latencies: Latencies; stop(): Promise<void> } {
  const latencies = new Latencies();
  const running = new Set<Promise<void>>();
  let round = 0;
  const once = async () => {
    const started = performance.now();
    try {
      const { path, method = 'GET', body } = request(round++);
      const answer = await pool.request({ path, method, headers, ...(body ? { body } : {}) });
      await answer.body.dump();
      if (answer.statusCode >= 300) latencies.failures++;
    } catch {
      latencies.failures++;
    }
    latencies.add(performance.now() - started);
  };
  const timer = setInterval(() => {
    const one = once().finally(() => running.delete(one));
    running.add(one);
  }, intervalMs);
  return {
    latencies,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
