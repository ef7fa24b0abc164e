import { stringifyJson } from '@tektite/meta';
import type { ObjectReference, ProgressEvent } from '@tektite/manifest';
import type { ManifestView, Outcome } from './manifest-view.ts';

/** A line of JSON for everything that happens, for programs. */
export class JsonLinesView implements ManifestView {
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  progress(event: ProgressEvent): void {
    if (event.type === 'step') this.print({ event: 'step', name: event.name, objects: event.objects.length });
    else if (event.type === 'waiting') this.print({ event: 'waiting', ...event.reference, reason: event.reason });
    else {
      const { reference, action, step, durationMs, reason, error } = event.result;
      this.print({ event: 'object', ...reference, action, step, durationMs: Math.round(durationMs), reason, error });
    }
  }

  waiting(reference: ObjectReference, status: string, message: string): void {
    this.print({ event: 'status', ...reference, status, message });
  }

  note(text: string): void {
    this.print({ event: 'note', text });
  }

  ended({ counts, tookMs, ok, set }: Outcome): void {
    this.print({ event: 'ended', ok, ...Object.fromEntries(counts), tookMs: Math.round(tookMs), set });
  }

  [Symbol.dispose](): void {}

  private print(value: object): void {
    this.write(`${stringifyJson(value)}\n`);
  }
}
