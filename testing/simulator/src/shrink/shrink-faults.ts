import type { Fault } from '../faults/fault.ts';

/** Whether a run with these faults still fails in the same way. */
export type StillFails = (faults: readonly Fault[]) => Promise<boolean>;

export interface ShrinkOptions {
  /** At most that many runs. Default 400. */
  readonly maxRuns?: number;
  readonly onProgress?: (left: number, runs: number) => void;
}

export interface Shrunk {
  readonly faults: readonly Fault[];
  readonly runs: number;
  /** Whether leaving out any single one of them makes the failure go away. */
  readonly isMinimal: boolean;
}

const defaultMaxRuns = 400;

/**
 * Finds the few faults that matter (delta debugging): leaves out ever smaller parts of the list as long as the run still fails, until no
 * single fault can be left out. A run with fewer faults is another run, not a part of the old one; that it fails is all that counts.
 */
export async function shrinkFaults(
  all: readonly Fault[],
  stillFails: StillFails,
  { maxRuns = defaultMaxRuns, onProgress = () => undefined }: ShrinkOptions = {},
): Promise<Shrunk> {
  let faults = all;
  let runs = 0;
  const fails = async (candidate: readonly Fault[]): Promise<boolean> => {
    runs++;
    return stillFails(candidate);
  };
  if (all.length > 0 && (await fails([]))) return { faults: [], runs, isMinimal: true };
  let parts = 2;
  while (faults.length > 1 && runs < maxRuns) {
    const smaller = await withoutOnePart(faults, parts, fails, () => runs < maxRuns);
    if (smaller) {
      faults = smaller;
      parts = Math.max(2, parts - 1);
      onProgress(faults.length, runs);
    } else if (parts >= faults.length) return { faults, runs, isMinimal: true };
    else parts = Math.min(faults.length, parts * 2);
  }
  return { faults, runs, isMinimal: faults.length <= 1 };
}

async function withoutOnePart(
  faults: readonly Fault[],
  parts: number,
  fails: StillFails,
  goesOn: () => boolean,
): Promise<readonly Fault[] | undefined> {
  const size = Math.ceil(faults.length / parts);
  for (let start = 0; start < faults.length && goesOn(); start += size) {
    const rest = [...faults.slice(0, start), ...faults.slice(start + size)];
    if (await fails(rest)) return rest;
  }
  return undefined;
}
