import { signal } from '@preact/signals-core';
import type { Clock } from '@tektite/meta';

export interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const shownMs = 8000;

/** Short messages about actions: shown for a while; errors stay until they are closed. */
export class Notices {
  readonly list = signal<readonly Notice[]>([]);
  private readonly clock: Clock;
  private nextId = 1;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(tone: Notice['tone'], text: string): void {
    const id = this.nextId++;
    this.list.value = [...this.list.value, { id, tone, text }];
    if (tone === 'good') this.clock.setTimer(shownMs, () => this.close(id));
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((notice) => notice.id !== id);
  }

  /** Does something and reports the result. */
  async report<T>(work: Promise<T>, done: (result: T) => string): Promise<T | undefined> {
    try {
      const result = await work;
      this.add('good', done(result));
      return result;
    } catch (error) {
      this.add('bad', (error as Error).message);
      return undefined;
    }
  }
}
