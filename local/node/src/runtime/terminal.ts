import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { TerminalSize } from './pod-runtime.ts';

/** A word that a shell takes literally. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs a command in a terminal, which `script` of util-linux makes. Input and output are that terminal's. */
export function inTerminal(words: readonly string[]): string[] {
  return ['script', '--quiet', '--return', '--flush', '--command', words.map(shellQuote).join(' '), '/dev/null'];
}

/** Gives the terminal of such a command the sizes that come. Ends with them, or with the command. */
export async function followSize(child: ChildProcess, sizes: AsyncIterable<TerminalSize>): Promise<void> {
  for await (const { rows, columns } of sizes) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const inner = firstChild(child.pid);
    if (inner === undefined) continue;
    const words = ['-F', `/proc/${inner}/fd/0`, 'rows', String(Math.trunc(rows)), 'cols', String(Math.trunc(columns))];
    await new Promise<void>((resolve) => {
      const stty = spawn('stty', words, { stdio: 'ignore' });
      stty.once('error', () => resolve());
      stty.once('exit', () => resolve());
    });
  }
}

function firstChild(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').find(Boolean);
  } catch {
    return undefined;
  }
}
