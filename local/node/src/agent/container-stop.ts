import type { Clock } from '@tektite/meta';
import type { RunningContainer } from '../runtime/pod-runtime.ts';

/** A container always gets this long between being asked to end and being ended. */
const shortestGraceMs = 2000;

export interface StopOptions {
  readonly graceMs: number;
  /** Runs before the container is asked. Its time counts. */
  readonly preStop?: (signal: AbortSignal) => Promise<void>;
  readonly stopSignal: NodeJS.Signals;
}

/** The end of a container: its hook, a request, and after the grace period the end of all its processes. */
export class ContainerStop {
  private readonly container: RunningContainer;
  private readonly options: StopOptions;
  private readonly clock: Clock;
  private readonly hook = new AbortController();
  private timer: Disposable | undefined;
  private deadline: number;
  private asked = false;
  private ended = false;

  constructor(container: RunningContainer, options: StopOptions, clock: Clock) {
    this.container = container;
    this.options = options;
    this.clock = clock;
    this.deadline = clock.now() + options.graceMs;
    void container.exited.then(() => this.done());
    void this.run();
  }

  /** Less time than was said at first; more is not given. */
  shorten(deadline: number): void {
    if (deadline >= this.deadline) return;
    this.deadline = deadline;
    if (!this.asked) this.arm(() => this.hook.abort());
    else this.armKill(this.clock.now());
  }

  private async run(): Promise<void> {
    const { preStop, graceMs } = this.options;
    if (preStop && graceMs > 0) {
      this.arm(() => this.hook.abort());
      const aborted = new Promise<void>((resolve) =>
        this.hook.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      await Promise.race([preStop(this.hook.signal).catch(() => undefined), aborted]);
    }
    this.asked = true;
    if (this.ended) return;
    this.container.signal(this.options.stopSignal);
    this.armKill(this.clock.now());
  }

  private armKill(askedAt: number): void {
    this.deadline = Math.max(this.deadline, askedAt + shortestGraceMs);
    this.arm(() => this.container.signal('SIGKILL'));
  }

  private arm(action: () => void): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    if (!this.ended) this.timer = this.clock.setTimer(Math.max(0, this.deadline - this.clock.now()), action);
  }

  private done(): void {
    this.ended = true;
    this.hook.abort();
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
  }
}
