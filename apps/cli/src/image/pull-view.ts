import { type Clock, systemClock } from '@tektite/meta';
import type { PullProgress } from '@tektite/oci';
import pc from 'picocolors';
import { LiveArea } from '../live-area.ts';
import { byteText } from './byte-text.ts';

const barWidth = 24;

/** The progress of pulls: lines that are kept fresh on a terminal, nothing elsewhere. */
export class PullView implements Disposable {
  private readonly pulls = new Map<string, PullProgress>();
  private readonly area: LiveArea | undefined;

  constructor(terminal: NodeJS.WriteStream = process.stderr, clock: Clock = systemClock) {
    if (terminal.isTTY) this.area = new LiveArea(terminal, clock, () => [...this.pulls.values()].map(progressLine));
  }

  readonly report = (progress: PullProgress): void => {
    this.pulls.set(progress.name, progress);
    this.area?.refreshSoon();
  };

  done(name: string): void {
    this.pulls.delete(name);
  }

  [Symbol.dispose](): void {
    this.area?.[Symbol.dispose]();
  }
}

/** `busybox:latest  ████████░░░░  1.2 MB of 2.16 MB, 0 of 1 layers` */
export function progressLine({ name, bytes, total, layersComplete, layers }: PullProgress): string {
  const part = total === 0 ? 1 : bytes / total;
  const filled = Math.round(part * barWidth);
  const bar = `${'█'.repeat(filled)}${pc.dim('░'.repeat(barWidth - filled))}`;
  return `${name}  ${bar}  ${byteText(bytes)} of ${byteText(total)}, ${layersComplete} of ${layers} layers`;
}
