import type { Pool } from 'undici';
import { headers } from '../server-process.ts';

/** Follows a watch through its ends, and counts events. A revision that does not grow, or an expired one, is a gap. */
export class EventCounter {
  events = 0;
  gaps = 0;
  private revision: number;
  private readonly pool: Pool;
  private readonly path: string;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(pool: Pool, path: string, revision: number) {
    this.pool = pool;
    this.path = path;
    this.revision = revision;
    this.running = this.follow();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const path = `${this.path}?watch=1&resourceVersion=${this.revision}`;
        const { body } = await this.pool.request({ method: 'GET', path, headers, signal });
        let rest = '';
        for await (const chunk of body) {
          const lines = (rest + (chunk as Buffer).toString()).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) this.count(line);
        }
      } catch {
        // A connection that was cut is resumed from the last revision.
      }
    }
  }

  private count(line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { resourceVersion: string } } };
    if (type === 'ERROR') {
      this.gaps++;
      return;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (revision <= this.revision) this.gaps++;
    this.revision = revision;
    this.events++;
  }
}
