import { readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type HistoryEntry, parseFailureFile, storyOf, tryScenario } from '@tektite/simulator';
import { loadScenario, type SimulatedProgram } from '../simulate/load-scenario.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface ReplayOptions {
  readonly step?: boolean;
  readonly break?: boolean;
}

/** `tektite simulate replay`: repeats a failure from its file, as it happens. Fails as the run did. */
export async function simulateReplay(path: string, options: ReplayOptions): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UserError(explainFileError(error, path) ?? String(error), 2);
  });
  const { program, seed, faults, oracle } = parseFailureFile(text);
  const scenario = await loadScenario(program as unknown as SimulatedProgram);
  const { failure } = await tryScenario(scenario, { seed, faults, onEntry: (entry) => follow(entry, options) });
  if (!failure) {
    process.stdout.write(`seed ${seed} passes now: "${oracle}" holds\n`);
    return;
  }
  process.stdout.write(`FAILURE (${failure.oracle}): ${failure.message}\n`);
  // A debugger stops here, when the run has failed.
  // oxlint-disable-next-line no-debugger
  if (options.break) debugger;
  process.exitCode = 1;
}

function follow(entry: HistoryEntry, options: ReplayOptions): void {
  const lines = storyOf(entry);
  if (lines.length === 0) return;
  process.stdout.write(`${lines.join('\n')}\n`);
  const isFault = entry.type === 'note' && entry.text.startsWith('fault: ');
  // A debugger stops here, at each fault: the stack is that of the operation that it strikes.
  // oxlint-disable-next-line no-debugger
  if (isFault && options.break) debugger;
  if (isFault && options.step) waitForEnter();
}

/** Blocks: time does not go on meanwhile. */
function waitForEnter(): void {
  process.stdout.write('-- Enter goes on --\n');
  const byte = Buffer.alloc(1);
  try {
    while (readSync(0, byte, 0, 1, null) === 1 && byte[0] !== 0x0a);
  } catch {
    // There is no terminal to wait for.
  }
}
