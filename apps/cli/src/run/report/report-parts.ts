import { stripVTControlCharacters } from 'node:util';
import type { RunNode } from '@tektite/dashboard/run';
import type { RecordedRun, StepLog } from './recorded-run.ts';

/** A task of a run, as reports list them: of a PipelineRun each of its TaskRuns, of a TaskRun the run itself. */
export interface ReportTask {
  readonly node: RunNode;
  readonly title: string;
  /** When it ran, in milliseconds since the run started. */
  readonly startMs?: number;
  readonly tookMs?: number;
  readonly logs: readonly StepLog[];
}

/** The tasks of a run in the order of its tree. */
export function tasksOf(run: RecordedRun): readonly ReportTask[] {
  return reportTasks(run, run.end.tree, []);
}

function reportTasks(run: RecordedRun, node: RunNode, path: readonly string[]): readonly ReportTask[] {
  if (path.length > 0 ? node.children.length === 0 || isTaskRun(node) : isTaskRun(node))
    return [taskOf(run, node, path)];
  // A matrix is a level of the tree, and none of the logs.
  return node.children.flatMap((child) =>
    reportTasks(run, child, [...(isMatrix(node) ? path.slice(0, -1) : path), plainName(child.name)]),
  );
}

function taskOf({ end, times, logs }: RecordedRun, node: RunNode, path: readonly string[]): ReportTask {
  const span = node.state === 'skipped' || node.state === 'waiting' ? undefined : times.spanOf(node);
  const whole = times.spanOf(end.tree);
  return {
    node,
    title: path.length > 0 ? path.join(' / ') : end.name,
    ...(span && whole ? { startMs: span.began - whole.began } : {}),
    ...(span?.ended === undefined ? {} : { tookMs: span.ended - span.began }),
    logs: logs.filter((log) => log.tasks.join('/') === path.join('/')),
  };
}

function isTaskRun({ id }: RunNode): boolean {
  return id.startsWith('TaskRun/');
}

function isMatrix({ id }: RunNode): boolean {
  return /^PipelineRun\/[^/]+\/[^/]+$/.test(id);
}

/** Without the mark of final tasks and the names of combinations, which the paths of logs do not have. */
function plainName(name: string): string {
  return name.replace(/ \(.*\)$/, '');
}

/** Whether a task keeps its run from succeeding. */
export function isFailure({ node }: ReportTask): boolean {
  return node.state === 'failed' || node.state === 'cancelled';
}

/** The reason of a task that failed: that of its step, or its own. */
export function failureOf({ node }: ReportTask): string {
  const step = node.children.find(({ state, note = '' }) => state === 'failed' && !note.endsWith('ignored'));
  return [step && `step ${step.name}: ${step.note ?? 'failed'}`, node.note].filter(Boolean).join('; ') || node.state;
}

/** The last lines of the step that failed. */
export function lastLines({ logs }: ReportTask, max: number): readonly string[] {
  const failed = logs.find(({ exitCode = 0 }) => exitCode !== 0) ?? logs.at(-1);
  return (failed?.lines.slice(-max) ?? []).map(plainLine);
}

/** A line without colours, and without characters that XML and terminals do not take. */
export function plainLine(line: string): string {
  return stripVTControlCharacters(line).replaceAll(
    /[^\t\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu,
    '',
  );
}

/** For XML and HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
