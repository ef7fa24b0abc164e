import type { RunNode, Span } from './run-tree.ts';

/** Knows when parts of runs began and ended. */
export interface RunTimes {
  spanOf(node: RunNode): Span | undefined;
}

/** As the statuses say. */
export const recordedTimes: RunTimes = { spanOf: ({ recorded }) => recorded };

/**
 * When each part of a run began and ended, as seen from here: the times in statuses are whole seconds, too coarse for what
 * takes some milliseconds.
 */
export class Timeline implements RunTimes {
  private readonly spans = new Map<string, Span>();

  /** Takes note of what is different since last time. */
  observe(node: RunNode, now: number): void {
    const known = this.spans.get(node.id);
    const begun = node.state !== 'waiting' && node.state !== 'skipped';
    const over = begun && node.state !== 'running';
    if (begun && !known) this.spans.set(node.id, firstSpan(node, now, over));
    else if (over && known?.ended === undefined && known) this.spans.set(node.id, { ...known, ended: now });
    for (const child of node.children) this.observe(child, now);
  }

  spanOf({ id }: RunNode): Span | undefined {
    return this.spans.get(id);
  }
}

/** Of what was there before we came, the status knows more than we. */
const lateMs = 2000;

function firstSpan({ recorded }: RunNode, now: number, over: boolean): Span {
  if (recorded && now - (recorded.ended ?? recorded.began) > lateMs) return recorded;
  return over ? { began: now, ended: now } : { began: now };
}
