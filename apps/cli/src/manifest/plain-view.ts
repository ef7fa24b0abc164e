import { describeObject, type ObjectReference, type ProgressEvent } from '@tektite/manifest';
import pc from 'picocolors';
import { terminalText } from '../terminal-text.ts';
import type { ManifestView, Outcome } from './manifest-view.ts';
import { outcomeLine, resultLine } from './view-lines.ts';

/** Plain lines, one under the other: for files, pipes and the logs of CI. */
export class PlainView implements ManifestView {
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  progress(event: ProgressEvent): void {
    if (event.type === 'step') this.write(`${pc.bold(event.name)}\n`);
    else if (event.type === 'object') this.write(`${resultLine(event.result)}\n`);
    else this.write(pc.dim(`${describeObject(event.reference)}: ${event.reason}\n`));
  }

  waiting(reference: ObjectReference, status: string, message: string): void {
    this.write(`${describeObject(reference)} ${status === 'Current' ? pc.green('ready') : `${status}: ${message}`}\n`);
  }

  /** Beside what was done: that may go into a file. */
  note(text: string): void {
    process.stderr.write(`${pc.dim(terminalText(text))}\n`);
  }

  ended(outcome: Outcome): void {
    this.write(`${outcomeLine(outcome)}\n`);
  }

  [Symbol.dispose](): void {}
}
