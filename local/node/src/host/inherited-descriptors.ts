import { readdirSync, readFileSync } from 'node:fs';

/** The flag by which the kernel closes a descriptor when another program is run. */
const closeOnExec = 0o2000000;
const maxDescriptors = 4096;

/**
 * Descriptors that this process was started with and that every program it runs inherits: they are not meant for
 * containers. Node's own are closed by the kernel.
 */
export function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => fd > 4 && fd < maxDescriptors && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}

type StdioEntry = 'ignore' | 'pipe' | number;

/** The same list for a child, with nothing in the place of each of them. */
export function withoutInherited(
  stdio: readonly StdioEntry[],
  inherited: readonly number[],
  nothing: number,
): StdioEntry[] {
  const result = [...stdio];
  for (const fd of inherited) {
    while (result.length < fd) result.push('ignore');
    if (fd >= stdio.length) result[fd] = nothing;
  }
  return result;
}
