import { readFileSync } from 'node:fs';

/** A process of this machine. `started` distinguishes it from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export function ownProcess(): ProcessIdentity {
  return { pid: process.pid, started: statOf(process.pid)?.started ?? '' };
}

/** Reads what a file says; `undefined` when that is no process. */
export function parseProcess(text: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0
      ? { pid, started: typeof started === 'string' ? started : '' }
      : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = statOf(pid);
  // A zombie has ended; only its parent has not asked how.
  if (!stat) return true;
  return stat.state !== 'Z' && (started === '' || stat.started === started);
}

/** A line of the process table, times in the kernel's own unit; `undefined` where there is none to read. */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
