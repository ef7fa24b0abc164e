import type { PullProgress } from '@tektite/oci';
import type { RunNode, RunTimes } from '@tektite/dashboard/run';
import type { RunEnd, RunView, StepPlace } from '../view/run-view.ts';

/** The log of a step. */
export interface StepLog {
  /** Tasks of pipelines on the way to it; empty for a TaskRun. */
  readonly tasks: readonly string[];
  readonly step: string;
  readonly lines: readonly string[];
  /** Lines that were left out, from the start: reports are for reading. */
  readonly dropped: number;
  readonly exitCode?: number;
}

/** A run that ended, with its logs and times. */
export interface RecordedRun {
  readonly end: RunEnd;
  readonly times: RunTimes;
  readonly logs: readonly StepLog[];
}

/** How many lines of a step a report has at most. */
const maxLines = 5000;

interface OpenLog {
  readonly tasks: readonly string[];
  readonly step: string;
  readonly lines: string[];
  dropped: number;
  exitCode?: number;
}

/** Records runs for reports, and shows them on another view meanwhile. */
export class RecordingView implements RunView {
  readonly runs: RecordedRun[] = [];
  private readonly view: RunView;
  private readonly logs = new Map<string, Map<string, OpenLog>>();

  constructor(view: RunView) {
    this.view = view;
  }

  started(kind: string, name: string): void {
    this.view.started(kind, name);
  }

  log(place: StepPlace, line: string): void {
    const log = this.logOf(place);
    log.lines.push(line);
    if (log.lines.length > maxLines) {
      log.lines.shift();
      log.dropped++;
    }
    this.view.log(place, line);
  }

  stepEnded(place: StepPlace, exitCode: number, skipped = false): void {
    const log = this.logOf(place);
    if (!skipped) log.exitCode = exitCode;
    this.view.stepEnded(place, exitCode, skipped);
  }

  changed(trees: readonly RunNode[], times: RunTimes): void {
    this.view.changed(trees, times);
  }

  note(text: string): void {
    this.view.note(text);
  }

  pulling(progress: PullProgress): void {
    this.view.pulling?.(progress);
  }

  ended(end: RunEnd, times: RunTimes): void {
    this.runs.push({ end, times, logs: [...(this.logs.get(end.name)?.values() ?? [])] });
    this.view.ended(end, times);
  }

  [Symbol.dispose](): void {
    this.view[Symbol.dispose]();
  }

  private logOf({ run, tasks, step }: StepPlace): OpenLog {
    const own = this.logs.get(run) ?? new Map<string, OpenLog>();
    this.logs.set(run, own);
    const key = [...tasks, step].join('/');
    const log = own.get(key) ?? { tasks, step, lines: [], dropped: 0 };
    own.set(key, log);
    return log;
  }
}
