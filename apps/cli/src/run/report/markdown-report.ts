import type { ParamValue } from '@tektite/pipelines';
import { durationText } from '@tektite/dashboard/run';
import { markOf } from '../../tree/tree-lines.ts';
import type { RecordedRun } from './recorded-run.ts';
import { failureOf, isFailure, lastLines, plainLine, type ReportTask, tasksOf } from './report-parts.ts';

/** Runs as Markdown: a table of tasks, the last lines of those that failed, the results. */
export function markdownReport(runs: readonly RecordedRun[]): string {
  return `${runs.map(sectionOf).join('\n\n')}\n`;
}

function sectionOf(run: RecordedRun): string {
  const { end, times } = run;
  const span = times.spanOf(end.tree);
  const took = span?.ended === undefined ? '' : ` in ${durationText(span.ended - span.began)}`;
  const tasks = tasksOf(run);
  const message = end.state !== 'succeeded' && end.message ? [plainLine(end.message.split('\n', 1)[0] ?? ''), ''] : [];
  return [
    `## ${markOf(end.state)} ${end.kind} ${cell(end.name)}`,
    '',
    `**${end.reason ?? end.state}**${took}`,
    '',
    ...message,
    '| Task | State | Time |',
    '|---|---|---|',
    ...tasks.map((task) => `| ${cell(task.title)} | ${markOf(task.node.state)} ${stateText(task)} | ${timeOf(task)} |`),
    ...tasks.filter(isFailure).flatMap(detailsOf),
    ...(end.results.length > 0 ? ['', '| Result | Value |', '|---|---|', ...end.results.map(resultRow)] : []),
  ].join('\n');
}

function stateText(task: ReportTask): string {
  return cell(
    isFailure(task)
      ? `${task.node.state}: ${failureOf(task)}`
      : [task.node.state, task.node.note].filter(Boolean).join(': '),
  );
}

function timeOf({ tookMs }: ReportTask): string {
  return tookMs === undefined ? '' : durationText(tookMs);
}

function detailsOf(task: ReportTask): readonly string[] {
  const lines = lastLines(task, 30);
  if (lines.length === 0) return [];
  // A fence longer than any in the text: logs are text, never notation.
  const longest = Math.max(3, ...lines.map((line) => /`+/.exec(line)?.[0].length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [
    '',
    `<details><summary>${cell(task.title)}: last lines</summary>`,
    '',
    `${fence}text`,
    ...lines,
    fence,
    '',
    '</details>',
  ];
}

function resultRow({ name, value }: { readonly name: string; readonly value: ParamValue }): string {
  return `| ${cell(name)} | ${cell(typeof value === 'string' ? value : JSON.stringify(value))} |`;
}

/** Text of a cell: one line, and no notation. */
function cell(text: string): string {
  return plainLine(text.trim().replaceAll(/\s*\n\s*/g, ' ')).replaceAll(/[\\|`*_<>[\]]/g, String.raw`\$&`);
}
