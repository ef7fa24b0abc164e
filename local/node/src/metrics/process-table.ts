import { readdir, readFile } from 'node:fs/promises';

interface Process {
  readonly parent: number;
  /** CPU time of the process and of its children that ended, in ticks. */
  readonly ticks: number;
}

/** Processor and memory use of a tree of processes. */
export interface TreeUsage {
  /** Since its processes started. */
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** The kernel reports CPU time to programs in hundredths of a second, on all architectures that Node runs on. */
export const nanosecondsPerTick = 10_000_000;

/** All processes of the machine at one moment, as /proc lists them. */
export class ProcessTable {
  private readonly processes: ReadonlyMap<number, Process>;
  private readonly children = new Map<number, number[]>();

  private constructor(processes: ReadonlyMap<number, Process>) {
    this.processes = processes;
    for (const [id, { parent }] of processes) this.children.set(parent, [...(this.children.get(parent) ?? []), id]);
  }

  static async read(): Promise<ProcessTable> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const processes = new Map<number, Process>();
    await Promise.all(
      ids.map(async (id) => {
        const process = parseStat(await readFile(`/proc/${id}/stat`, 'latin1').catch(() => ''));
        if (process) processes.set(Number(id), process);
      }),
    );
    return new ProcessTable(processes);
  }

  /** The use of a process and all its descendants; undefined when it has ended. */
  async usageOf(root: number): Promise<TreeUsage | undefined> {
    if (!this.processes.has(root)) return undefined;
    const tree = [root];
    for (const id of tree) tree.push(...(this.children.get(id) ?? []));
    const ticks = tree.reduce((sum, id) => sum + (this.processes.get(id)?.ticks ?? 0), 0);
    const memory = await Promise.all(tree.map(residentBytes));
    return {
      cpuNanoseconds: ticks * nanosecondsPerTick,
      memoryBytes: memory.reduce((sum, bytes) => sum + bytes, 0),
    };
  }
}

/** `PID (NAME) STATE PPID …`; the name may have spaces and parentheses. */
export function parseStat(text: string): Process | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, ...ticks] = [fields[1], ...fields.slice(11, 15)].map(Number);
  if (fields.length < 15 || parent === undefined) return undefined;
  return { parent, ticks: ticks.reduce((sum, each) => sum + each, 0) };
}

/** Memory that is the process's own: files that it maps are shared, and the kernel can drop them. */
async function residentBytes(id: number): Promise<number> {
  const text = await readFile(`/proc/${id}/status`, 'latin1').catch(() => '');
  const parts = [...text.matchAll(/^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm)];
  return parts.reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * 1024, 0);
}
