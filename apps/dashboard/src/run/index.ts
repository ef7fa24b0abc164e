/** A run as people see it: its tree of tasks and steps, their states and times. Pure, for the command and for the page. */
export { cancelStatus, type CancelMode } from './cancel-mode.ts';
export { criticalPath, type PathStep } from './critical-path.ts';
export { findNode, firstTaskRun, nodeKey } from './node-key.ts';
export { durationText } from './duration-text.ts';
export { type FindRun, pipelineRunNode, taskOrder } from './pipeline-run-tree.ts';
export { runAgain } from './run-again.ts';
export type { RunNode, RunState, Span } from './run-node.ts';
export { conditionOf, spanOf, stateOf, taskRunNode } from './run-tree.ts';
export { recordedTimes, type RunTimes, Timeline } from './timeline.ts';
export { visibleText } from './visible-text.ts';
export { skipText } from './skip-text.ts';
export { type WaterfallRow, waterfallRows } from './waterfall.ts';
export { wholeSpan } from './whole-span.ts';
