import type { Logger } from '@tektite/controller';
import type { Clock } from '@tektite/meta';
import { Cron } from 'croner';
import type { ResultsStorage } from '../storage/storage.ts';
import type { RetentionPolicy } from './retention-policy.ts';

export interface RetentionAgentOptions {
  readonly storage: ResultsStorage;
  readonly policy: () => RetentionPolicy;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A schedule may change while one waits; it is read again at least so often. */
const maxWaitMs = 60_000;

/** Deletes Results that are older than the policy allows, when the policy says. */
export class RetentionAgent implements AsyncDisposable {
  private readonly options: RetentionAgentOptions;
  private readonly stopped = new AbortController();
  private timer: Disposable | undefined;
  private running: Promise<void> | undefined;
  private since: number;

  constructor(options: RetentionAgentOptions) {
    this.options = options;
    this.since = options.clock.now();
    this.wait();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopped.abort(new Error('the process stops'));
    this.timer?.[Symbol.dispose]();
    await this.running;
  }

  private wait(): void {
    const { clock } = this.options;
    const due = this.due();
    const rest = Math.min(Math.max(due - clock.now(), 0), maxWaitMs);
    this.timer = clock.setTimer(rest, () => {
      this.running = this.turn(due);
    });
  }

  private async turn(due: number): Promise<void> {
    const { storage, policy, clock, log } = this.options;
    try {
      if (clock.now() >= due && this.due() <= clock.now()) {
        this.since = clock.now();
        const count = await storage.expire(policy().rules, this.stopped.signal);
        log.info('expired results were deleted', { count });
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) log.error('results could not be expired', { error: error as Error });
    }
    if (!this.stopped.signal.aborted) this.wait();
  }

  /** When the policy says, after the last time. A schedule that is none is never due. */
  private due(): number {
    const { policy, log } = this.options;
    const { runAt } = policy();
    try {
      return new Cron(runAt, { timezone: 'UTC' }).nextRun(new Date(this.since))?.getTime() ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      log.error(`runAt: ${JSON.stringify(runAt)} is no schedule`, { error: error as Error });
      return Number.POSITIVE_INFINITY;
    }
  }
}
