import type { RunNode } from './run-tree.ts';

/** When something was seen to begin and to end, in milliseconds. */
export interface Span {
  readonly began: number;
  readonly ended?: number;
}

/**
 * When each part of a run began and ended, as seen from here: the times in statuses are whole seconds, too coarse for what
 * takes some milliseconds.
 */
export class Timeline {
  private readonly spans = new Map<string, Span>();

  /** Takes note of what is different since last time. */
  observe(node: RunNode, now: number): void {
    const known = this.spans.get(node.id);
    const begun = node.state !== 'waiting' && node.state !== 'skipped';
    const over = begun && node.state !== 'running';
    if (begun && !known) this.spans.set(node.id, over ? { began: now, ended: now } : { began: now });
    else if (over && known?.ended === undefined && known) this.spans.set(node.id, { ...known, ended: now });
    for (const child of node.children) this.observe(child, now);
  }

  spanOf({ id }: RunNode): Span | undefined {
    return this.spans.get(id);
  }
}
