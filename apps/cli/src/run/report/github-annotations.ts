import { relative } from 'node:path';
import type { RecordedRun } from './recorded-run.ts';
import { failureOf, isFailure, lastLines, tasksOf } from './report-parts.ts';

/** Finds where the task of a run is written: `pipeline.yaml:12`. */
export type PlaceOfTask = (run: string, task: string) => string | undefined;

/**
 * A workflow command of GitHub Actions for each task that failed: `::error file=…,line=…,title=…::…`. Files are relative to `root`,
 * the folder of the repository.
 */
export function githubAnnotations(
  runs: readonly RecordedRun[],
  placeOf: PlaceOfTask,
  root: string = process.cwd(),
): string {
  return runs
    .flatMap((run) => {
      const failures = tasksOf(run).filter(isFailure);
      if (failures.length === 0 && run.end.state !== 'succeeded')
        return [command(root, placeOf(run.end.name, ''), run.end.name, run.end.message ?? run.end.reason ?? 'failed')];
      return failures.map((task) => {
        const text = [failureOf(task), ...lastLines(task, 10)].join('\n');
        return command(root, placeOf(run.end.name, task.title), `${run.end.name}: ${task.title}`, text);
      });
    })
    .join('');
}

function command(root: string, place: string | undefined, title: string, text: string): string {
  const [, file, line] = /^(.*):(\d+)$/s.exec(place ?? '') ?? [];
  const properties = [
    file && `file=${property(relative(root, file))}`,
    line && `line=${line}`,
    `title=${property(title)}`,
  ].filter(Boolean);
  return `::error ${properties.join(',')}::${data(text)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
