import type { ParamValue } from '@tektite/pipelines';
import pc from 'picocolors';
import { criticalPath, durationText, type RunNode, type RunTimes } from '@tektite/dashboard/run';
import { terminalText } from '../../terminal-text.ts';
import { withoutGuess } from '../missing-program.ts';
import type { RunEnd, RunView, StepPlace } from './run-view.ts';
import { treeLines } from '../../tree/tree-lines.ts';

/** Plain lines, one under the other: for files, pipes and the logs of CI. */
export class TextView implements RunView {
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  started(kind: string, name: string): void {
    this.line(pc.bold(`${kind} ${name}`));
  }

  log(place: StepPlace, line: string): void {
    this.line(`${prefixOf(place)} ${line}`);
  }

  stepEnded(place: StepPlace, exitCode: number, skipped = false): void {
    const failure = skipped ? pc.dim('- skipped') : pc.red(`✗ exit code ${exitCode}`);
    this.line(`${prefixOf(place)} ${exitCode === 0 ? pc.green('✓') : failure}`);
  }

  changed(_trees: readonly RunNode[], _times: RunTimes): void {}

  /** Beside what the run says: that may go into a file. */
  note(text: string): void {
    process.stderr.write(`${pc.dim(terminalText(text))}\n`);
  }

  ended(end: RunEnd, times: RunTimes): void {
    const now = times.spanOf(end.tree)?.ended ?? 0;
    // The steps of a TaskRun are all printed already.
    if (end.kind !== 'TaskRun') for (const line of treeLines(end.tree, times, now)) this.line(line);
    for (const line of endLines(end, times)) this.line(line);
  }

  [Symbol.dispose](): void {}

  private line(text: string): void {
    this.write(`${text}\n`);
  }
}

/** How it went, and what came of it. */
export function endLines({ state, reason, message, results, tree }: RunEnd, times: RunTimes): string[] {
  const span = times.spanOf(tree);
  const took = span?.ended === undefined ? '' : pc.dim(` in ${durationText(span.ended - span.began)}`);
  const head =
    state === 'succeeded'
      ? `${pc.green(`${reason}`)}${took}`
      : `${pc.red(`${reason}: ${withoutGuess(message ?? '')}`.trimEnd())}${took}`;
  return [head, ...pathLines(tree, times), ...(results.length > 0 ? ['results:'] : []), ...results.map(resultLine)];
}

/** Where the time went, if there was a choice. */
function pathLines(tree: RunNode, times: RunTimes): string[] {
  const path = tree.id.startsWith('PipelineRun/') ? criticalPath(tree, times) : [];
  const span = times.spanOf(tree);
  if (path.length < 2 || span?.ended === undefined || span.ended === span.began) return [];
  const steps = path.map(({ name, ms }) => `${name} ${durationText(ms)}`).join(' → ');
  const between = span.ended - span.began - path.reduce((sum, { ms }) => sum + ms, 0);
  return [pc.dim(`critical path: ${steps}; between them ${durationText(between)}`)];
}

function resultLine({ name, value }: { readonly name: string; readonly value: ParamValue }): string {
  return `  ${name} = ${typeof value === 'string' ? value.trimEnd() : JSON.stringify(value)}`;
}

export function prefixOf({ tasks, step }: StepPlace): string {
  return pc.cyan(`[${[...tasks, step].join(' : ')}]`);
}
