import { formatGoDuration, parseGoDuration } from '@tektite/go';
import type { PipelineRunSpec, PipelineRunStatus } from '../../../kinds/pipeline-run-spec.ts';

/** The timeouts of a run, its tasks and its final tasks, in milliseconds. 0: no timeout; undefined: not set. */
export interface Timeouts {
  readonly pipeline: number;
  readonly tasks?: number;
  readonly finally?: number;
}

const milliseconds = (text: string) => Number(parseGoDuration(text)) / 1e6;

/** As Go prints it: `1h0m0s`. */
export function formatTimeout(limit: number): string {
  return formatGoDuration(BigInt(Math.round(limit * 1e6)));
}

/** The timeouts of the spec. The tasks get the time that the final tasks leave, and vice versa. */
export function timeoutsOf({ timeouts = {} }: PipelineRunSpec, defaultMinutes: number): Timeouts {
  const { pipeline, tasks, finally: final } = timeouts;
  const whole = pipeline === undefined ? defaultMinutes * 60_000 : milliseconds(pipeline);
  const rest = (part: string | undefined) => {
    if (pipeline === undefined || part === undefined) return undefined;
    const used = milliseconds(part);
    return whole === 0 || used === 0 ? undefined : whole - used;
  };
  const forTasks = tasks === undefined ? rest(final) : milliseconds(tasks);
  const forFinally = final === undefined ? rest(tasks) : milliseconds(final);
  return {
    pipeline: whole,
    ...(forTasks === undefined ? {} : { tasks: forTasks }),
    ...(forFinally === undefined ? {} : { finally: forFinally }),
  };
}

/** Measures one run against its timeouts. */
export class Stopwatch {
  readonly timeouts: Timeouts;
  private readonly now: number;
  private readonly startTime: number | undefined;
  private finallyStartTime: number | undefined;

  constructor(timeouts: Timeouts, { startTime, finallyStartTime }: PipelineRunStatus, now: number) {
    this.timeouts = timeouts;
    this.now = now;
    this.startTime = startTime === undefined ? undefined : Date.parse(startTime);
    this.finallyStartTime = finallyStartTime === undefined ? undefined : Date.parse(finallyStartTime);
  }

  startFinally(time: string): void {
    this.finallyStartTime ??= Date.parse(time);
  }

  isPipelineOver(): boolean {
    return isPast(this.startTime, this.timeouts.pipeline, this.now);
  }

  areTasksOver(): boolean {
    return isPast(this.startTime, this.timeouts.tasks, this.now);
  }

  isFinallyOver(): boolean {
    return isPast(this.finallyStartTime, this.timeouts.finally, this.now);
  }

  /** Whether twice the timeout has passed: the run was not reconciled for very long. */
  isPipelineLongOver(): boolean {
    return this.isPipelineOver() && this.now - (this.startTime ?? this.now) >= 2 * this.timeouts.pipeline;
  }

  /** The time until the next timeout, in milliseconds. */
  nextTimeout(): number | undefined {
    const { pipeline, tasks = 0, finally: final = 0 } = this.timeouts;
    if (this.startTime === undefined) return undefined;
    const whole = left(this.startTime, pipeline, this.now);
    if (this.finallyStartTime !== undefined) return least(whole, left(this.finallyStartTime, final, this.now));
    return tasks > 0 ? least(whole, left(this.startTime, tasks, this.now)) : whole;
  }
}

function isPast(since: number | undefined, limit: number | undefined, now: number): boolean {
  return since !== undefined && !!limit && now - since > limit;
}

/** One more than is left: at exactly the limit a timeout has not passed. */
function left(since: number, limit: number, now: number): number | undefined {
  return limit === 0 ? undefined : Math.max(0, limit - (now - since)) + 1;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
