import { fitSpans, isSequence } from './run-spans.ts';
import type { RunNode, Span } from './run-node.ts';

/** Knows when parts of runs started and ended. */
export interface RunTimes {
  spanOf(node: RunNode): Span | undefined;
}

/** As the statuses say. */
export const recordedTimes: RunTimes = { spanOf: ({ recorded }) => recorded };

/**
 * When each part of a run started and ended. Of a run that is followed from its start, as observed here: the times in statuses are
 * whole seconds, too coarse for what takes some milliseconds. Of a run that started earlier, as its statuses say.
 */
export class Timeline implements RunTimes {
  /** Starts and ends that were observed, by node. */
  private readonly observed = new Map<string, Span>();
  private readonly fitted = new Map<string, Span>();
  /** Roots that were there before. */
  private readonly joined = new Set<string>();

  /** Records what changed since the last call. */
  observe(root: RunNode, now: number): void {
    if (!this.observed.has(root.id) && isJoined(root, now)) this.joined.add(root.id);
    this.observeNode(root, now, this.joined.has(root.id));
    this.fit(root, this.observed.get(root.id));
  }

  spanOf({ id }: RunNode): Span | undefined {
    return this.fitted.get(id);
  }

  private observeNode(node: RunNode, now: number, joined: boolean): void {
    const known = this.observed.get(node.id);
    const started = node.state !== 'waiting' && node.state !== 'skipped';
    const completed = started && node.state !== 'running';
    if (started && !known) this.observed.set(node.id, firstSpan(node, now, completed, joined));
    else if (completed && known && known.ended === undefined)
      this.observed.set(node.id, joined && node.recorded?.ended ? node.recorded : { ...known, ended: now });
    for (const child of node.children) this.observeNode(child, now, joined);
  }

  private fit(node: RunNode, span: Span | undefined): void {
    if (span) this.fitted.set(node.id, span);
    const parts = node.children.map(({ id }) => this.observed.get(id));
    const spans = fitSpans(span, parts, isSequence(node));
    node.children.forEach((child, index) => this.fit(child, spans[index]));
  }
}

/** Statuses are written in whole seconds, and read a little later. */
const lateMs = 2000;

function isJoined({ state, recorded }: RunNode, now: number): boolean {
  if (!recorded) return false;
  return (state !== 'waiting' && state !== 'running') || now - recorded.began > lateMs;
}

function firstSpan({ recorded }: RunNode, now: number, completed: boolean, joined: boolean): Span {
  if (joined && recorded) return completed ? { ended: recorded.began, ...recorded } : { began: recorded.began };
  // It started and ended since the last call: its start is fitted to the end of the step in front of it, or to its parent.
  return completed ? { began: recorded?.began ?? now, ended: now } : { began: now };
}
