import type { RecordedRun, StepLog } from './recorded-run.ts';
import { escapeMarkup, failureOf, isFailure, lastLines, plainLine, type ReportTask, tasksOf } from './report-parts.ts';

/** Runs as JUnit's XML: a suite for each run, a case for each task. */
export function junitReport(runs: readonly RecordedRun[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...runs.flatMap(suiteOf), '</testsuites>', ''].join(
    '\n',
  );
}

function suiteOf(run: RecordedRun): readonly string[] {
  const tasks = tasksOf(run);
  const span = run.times.spanOf(run.end.tree);
  const time = span?.ended === undefined ? 0 : span.ended - span.began;
  const counts = `tests="${tasks.length}" failures="${tasks.filter(isFailure).length}" skipped="${tasks.filter(isSkipped).length}"`;
  const name = escapeMarkup(run.end.name);
  const stamp = span ? ` timestamp="${new Date(span.began).toISOString()}"` : '';
  return [
    `  <testsuite name="${name}" ${counts} time="${seconds(time)}"${stamp}>`,
    ...tasks.flatMap((task) => caseOf(task, name)),
    '  </testsuite>',
  ];
}

function isSkipped({ node }: ReportTask): boolean {
  return node.state === 'skipped' || node.state === 'waiting';
}

function caseOf(task: ReportTask, suite: string): readonly string[] {
  const failure = escapeMarkup(plainLine(failureOf(task)));
  const text = escapeMarkup(lastLines(task, 20).join('\n'));
  return [
    `    <testcase classname="${suite}" name="${escapeMarkup(task.title)}" time="${seconds(task.tookMs ?? 0)}">`,
    ...(isFailure(task) ? [`      <failure message="${failure}">${text}</failure>`] : []),
    ...(isSkipped(task) ? [`      <skipped message="${escapeMarkup(task.node.note ?? '')}"/>`] : []),
    ...(task.logs.length > 0
      ? [`      <system-out>${escapeMarkup(task.logs.map(logText).join('\n'))}</system-out>`]
      : []),
    '    </testcase>',
  ];
}

function logText({ step, lines, dropped }: StepLog): string {
  const head = dropped > 0 ? [`[${step}] … ${dropped} lines before`] : [];
  return [...head, ...lines.map((line) => `[${step}] ${plainLine(line)}`)].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
