import { describeFault, type Fault } from '../faults/fault.ts';
import { simulationErrors } from '../run/simulation-error.ts';
import type { Explained } from '../shrink/explain-failure.ts';
import { tellStory } from '../story/tell-story.ts';

/** A failure that can be replayed: what was run, the seed, the faults that matter, and the story for those who only read. */
export interface FailureFile {
  readonly version: 1;
  /** How the command finds the program and the scenario. */
  readonly program: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly oracle: string;
  readonly message: string;
  readonly faults: readonly Fault[];
  readonly story: readonly string[];
}

export function failureFile(explained: Explained, program: Readonly<Record<string, string>>): FailureFile {
  const { seed, faults, report } = explained;
  const { oracle = '', message = '' } = report.failure ?? {};
  const story = tellStory(report.history, report.failure).split('\n');
  return { version: 1, program, seed, oracle, message, faults, story };
}

/** Reads a failure file. Throws an error that says what is wrong with it. */
export function parseFailureFile(text: string): FailureFile {
  let file: Partial<FailureFile>;
  try {
    file = JSON.parse(text) as Partial<FailureFile>;
  } catch (cause) {
    throw new simulationErrors.Error('SCENARIO_INVALID', 'the file is not JSON, so no simulation wrote it', { cause });
  }
  if (file?.version !== 1 || typeof file.seed !== 'number' || !Array.isArray(file.faults) || !file.program)
    throw new simulationErrors.Error('SCENARIO_INVALID', 'the file is not one that a simulation of this version wrote');
  return file as FailureFile;
}

/** The failure for a terminal: what broke, by which faults, and the story. */
export function formatFailure({ seed, oracle, message, faults, story }: FailureFile): string {
  const list =
    faults.length === 0 ? ['  none: it fails without any fault'] : faults.map((fault) => `  ${describeFault(fault)}`);
  return [
    `seed ${seed} breaks "${oracle}": ${message}`,
    '',
    'The faults that matter:',
    ...list,
    '',
    'The story:',
    ...story,
  ].join('\n');
}
