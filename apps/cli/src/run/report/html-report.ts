import type { ParamValue } from '@tektite/pipelines';
import { durationText } from '@tektite/dashboard/run';
import { graphSvg } from '../../graph/graph-svg.ts';
import { graphsOf, withProgress } from '../../graph/task-graph.ts';
import { markOf } from '../../tree/tree-lines.ts';
import type { RecordedRun, StepLog } from './recorded-run.ts';
import { escapeMarkup, failureOf, isFailure, plainLine, type ReportTask, tasksOf } from './report-parts.ts';

const style = `
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #e4e4ea; }
td.time { white-space: nowrap; } td.bar { width: 40%; } td.bar div { height: .7rem; border-radius: .2rem; min-width: 2px; }
.succeeded { color: #2c8a3c; } .failed { color: #c22d2d; } .cancelled { color: #8a2c8a; } .skipped, .waiting { color: #777; } .running { color: #c08a00; }
div.succeeded { background: #2c8a3c; } div.failed { background: #c22d2d; } div.cancelled { background: #8a2c8a; }
pre { background: #f6f6f8; padding: .6rem; overflow-x: auto; font-size: 13px; } .graph { overflow-x: auto; }
details { margin: .3rem 0; } summary { cursor: pointer; }`;

/** Runs as one page that needs nothing else: graph, times, logs, results. It has no scripts. */
export function htmlReport(runs: readonly RecordedRun[]): string {
  const title = runs.map(({ end }) => end.name).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<style>${style}
</style>
</head>
<body>
${runs.map(sectionOf).join('\n')}
</body>
</html>
`;
}

function sectionOf(run: RecordedRun): string {
  const { end, times } = run;
  const span = times.spanOf(end.tree);
  const totalMs = span?.ended === undefined ? 0 : span.ended - span.began;
  const tasks = tasksOf(run);
  const graph = graphsOf([end.object]).map((each) => graphSvg(withProgress(each, end.tree, times, span?.ended ?? 0)));
  return [
    `<h1><span class="${end.state}">${markOf(end.state)}</span> ${end.kind} ${escapeMarkup(end.name)}</h1>`,
    `<p><b class="${end.state}">${escapeMarkup(end.reason ?? end.state)}</b> in ${durationText(totalMs)}${span ? `, started ${new Date(span.began).toISOString()}` : ''}</p>`,
    ...(end.state !== 'succeeded' && end.message ? [`<p>${escapeMarkup(plainLine(end.message))}</p>`] : []),
    ...graph.map((svg) => `<div class="graph">${svg}</div>`),
    '<h2>Tasks</h2>',
    `<table><tr><th>Task</th><th>State</th><th>Time</th><th></th></tr>${tasks.map((task) => rowOf(task, totalMs)).join('')}</table>`,
    ...(end.results.length > 0 ? ['<h2>Results</h2>', `<table>${end.results.map(resultRow).join('')}</table>`] : []),
    '<h2>Logs</h2>',
    ...tasks.flatMap((task) => task.logs.map((log) => detailsOf(task, log))),
  ].join('\n');
}

function rowOf(task: ReportTask, totalMs: number): string {
  const { node, title, startMs = 0, tookMs } = task;
  const note = isFailure(task) ? failureOf(task) : (node.note ?? '');
  const percent = (ms: number) => `${totalMs > 0 ? ((100 * ms) / totalMs).toFixed(2) : 0}%`;
  const bar =
    tookMs === undefined
      ? ''
      : `<div class="${node.state}" style="margin-left:${percent(startMs)};width:${percent(tookMs)}"></div>`;
  const state = `<span class="${node.state}">${markOf(node.state)} ${node.state}</span>${note ? ` ${escapeMarkup(plainLine(note))}` : ''}`;
  const time = tookMs === undefined ? '' : durationText(tookMs);
  return `<tr><td>${escapeMarkup(title)}</td><td>${state}</td><td class="time">${time}</td><td class="bar">${bar}</td></tr>`;
}

function resultRow({ name, value }: { readonly name: string; readonly value: ParamValue }): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `<tr><th>${escapeMarkup(name)}</th><td><code>${escapeMarkup(plainLine(text))}</code></td></tr>`;
}

function detailsOf(task: ReportTask, { step, lines, dropped, exitCode }: StepLog): string {
  const failed = exitCode !== undefined && exitCode !== 0;
  const name = task.logs.length > 0 && task.node.children.length > 0 ? `${task.title} : ${step}` : step;
  const head = dropped > 0 ? `… ${dropped} lines before\n` : '';
  const mark =
    exitCode === undefined
      ? ''
      : failed
        ? ` <span class="failed">✗ exit code ${exitCode}</span>`
        : ' <span class="succeeded">✓</span>';
  const text = escapeMarkup(lines.map(plainLine).join('\n'));
  return `<details${failed ? ' open' : ''}><summary>${escapeMarkup(name)}${mark}</summary><pre>${head}${text}</pre></details>`;
}
