import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Ends processes that make or are containers of this folder and were left by another process. Containers die with the
 * process that started them, so there is hardly ever one: it takes a kill between two instructions, or a container that
 * asked the kernel to be spared.
 */
export function endLeftovers(directory: string): number {
  let ended = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || !belongsTo(pid, directory)) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
      ended++;
    } catch {
      // Gone, or another user's.
    }
  }
  return ended;
}

/** A container's root or its hosts file is mounted from the runtime's folder; a process that still makes one names it. */
function belongsTo(pid: string, directory: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (words.some((word) => word.startsWith(`${directory}/`)) && words.some((word) => word.endsWith('/sandbox')))
      return true;
    // Paths are counted from the root of their file system, which may be mounted anywhere.
    const sources = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .split('\n')
      .map((line) => /^(\/.+)\/(?:containers|sandboxes)\/[^/]+\//.exec(`${line.split(' ')[3]}/`)?.[1]);
    return sources.some((folder) => folder !== undefined && dirname(directory).endsWith(folder));
  } catch {
    return false;
  }
}
