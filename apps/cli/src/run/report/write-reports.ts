import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explainFileError, UserError } from '../../user-error.ts';
import type { PlannedObject } from '../plan-run.ts';
import { githubAnnotations } from './github-annotations.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import { markdownReport } from './markdown-report.ts';
import { placesOf } from './place-of-task.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { WantedReport } from './wanted-reports.ts';

/** Writes reports. `created` has the runs by the names that the server gave them; `print` gets reports without a file. */
export async function writeReports(
  wanted: readonly WantedReport[],
  runs: readonly RecordedRun[],
  created: ReadonlyMap<string, PlannedObject>,
  print: (text: string) => void,
): Promise<void> {
  if (runs.length === 0) return;
  const texts = {
    junit: () => junitReport(runs),
    markdown: () => markdownReport(runs),
    html: () => htmlReport(runs),
    github: () => githubAnnotations(runs, placesOf(created), process.env['GITHUB_WORKSPACE']),
  };
  for (const { kind, file, append } of wanted) {
    const text = texts[kind]();
    if (file === undefined) print(text);
    else await writeText(kind, file, text, append ?? false);
  }
}

async function writeText(kind: string, file: string, text: string, append: boolean): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await (append ? appendFile(file, text) : writeFile(file, text));
  } catch (error) {
    throw new UserError(`--report ${kind}: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}
