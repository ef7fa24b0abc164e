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

/** A container's root is mounted from its folder; a process that still makes one names the folder. */
function belongsTo(pid: string, directory: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (words.some((word) => word.startsWith(`${directory}/`)) && words.some((word) => word.endsWith('/sandbox')))
      return true;
    const line = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .split('\n')
      .find((text) => text.split(' ')[4] === '/');
    // The path is counted from the root of its file system, which may be mounted anywhere.
    const root = line?.split(' ')[3] ?? '';
    const folder = dirname(dirname(root));
    return root.endsWith('/root') && folder !== '/' && directory.endsWith(folder);
  } catch {
    return false;
  }
}
