import { stringifyJson } from '@tektite/meta';
import type { RunEnd, RunView, StepPlace } from './run-view.ts';

/** A line of JSON for everything that happens, for programs. */
export class JsonView implements RunView {
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  started(kind: string, run: string): void {
    this.print({ event: 'started', run, kind });
  }

  log(place: StepPlace, line: string): void {
    this.print({ event: 'log', ...at(place), line });
  }

  stepEnded(place: StepPlace, exitCode: number, skipped = false): void {
    this.print({ event: 'step', ...at(place), exitCode, ...(skipped ? { skipped } : {}) });
  }

  changed(): void {}

  note(text: string): void {
    this.print({ event: 'note', text });
  }

  ended({ kind, name, state, reason, message, results }: RunEnd): void {
    this.print({ event: 'ended', run: name, kind, succeeded: state === 'succeeded', reason, message, results });
  }

  [Symbol.dispose](): void {}

  private print(value: object): void {
    this.write(`${stringifyJson(value)}\n`);
  }
}

function at({ run, tasks, step }: StepPlace): object {
  return { run, ...(tasks.length > 0 ? { task: tasks.join('/') } : {}), step };
}
