import { describe, expect, it } from 'vitest';
import type { RunNode, RunState, Span } from './run-node.ts';
import { Timeline } from './timeline.ts';

const start = Date.UTC(2026, 0, 1);
const node = (id: string, state: RunState, recorded: Span | undefined, children: readonly RunNode[] = []): RunNode => ({
  id,
  name: id,
  state,
  ...(recorded ? { recorded } : {}),
  children,
});
const took = (timeline: Timeline, each: RunNode) => {
  const span = timeline.spanOf(each);
  return span?.ended === undefined ? undefined : span.ended - span.began;
};

/** A TaskRun of two steps, whose containers both start with the Pod, at these states. */
function task(state: RunState, first: RunState, second: RunState, ended?: number): RunNode {
  const at = (more: object) => ({ began: start, ...more });
  const end = ended === undefined ? {} : { ended: start + ended };
  return node('TaskRun/t', state, at(end), [
    node('TaskRun/t/one', first, at(first === 'succeeded' ? { ended: start + 3000 } : {})),
    node('TaskRun/t/two', second, at(second === 'succeeded' ? end : {})),
  ]);
}

describe('times of a run', () => {
  it('that is followed from its start: a step starts when the one in front of it ends, and is never longer than its task', () => {
    const timeline = new Timeline();
    timeline.observe(task('running', 'waiting', 'waiting'), start + 120);
    timeline.observe(task('running', 'running', 'waiting'), start + 150);
    timeline.observe(task('running', 'succeeded', 'running'), start + 3100);
    timeline.observe(task('running', 'succeeded', 'succeeded'), start + 6900);
    const last = task('succeeded', 'succeeded', 'succeeded', 7000);
    timeline.observe(last, start + 6920);
    expect([last, ...last.children].map((each) => took(timeline, each))).toEqual([6800, 2950, 3800]);
  });

  it('that is followed late come from its status, also of steps whose container waited', () => {
    const timeline = new Timeline();
    timeline.observe(task('running', 'succeeded', 'running'), start + 5000);
    const last = task('succeeded', 'succeeded', 'succeeded', 7000);
    timeline.observe(last, start + 7450);
    expect([last, ...last.children].map((each) => took(timeline, each))).toEqual([7000, 3000, 4000]);
  });

  it('that ended a moment ago come from its status', () => {
    const timeline = new Timeline();
    const last = task('succeeded', 'succeeded', 'succeeded', 7000);
    timeline.observe(last, start + 7100);
    expect(took(timeline, last)).toBe(7000);
  });

  it('of a step that started and ended unobserved: it ran since the step in front of it', () => {
    const timeline = new Timeline();
    timeline.observe(task('running', 'running', 'waiting'), start + 100);
    const last = task('succeeded', 'succeeded', 'succeeded', 0);
    timeline.observe(task('running', 'succeeded', 'waiting'), start + 400);
    timeline.observe(last, start + 430);
    expect([last, ...last.children].map((each) => took(timeline, each))).toEqual([330, 300, 30]);
  });
});
