import { accessSync, constants, existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@tektite/client';
import type { ContainerLimits } from '../runtime/pod-runtime.ts';

/** The limits of one container, enforced by the kernel. */
export interface Cgroup {
  /** The folders whose `cgroup.procs` a process has to join. */
  readonly folders: readonly string[];
  /** Whether the kernel killed one of its processes because memory was used up. */
  oomKilled(): boolean;
  remove(): void;
}

/** Makes cgroups, if this process may. */
export interface Cgroups {
  create(id: string, limits: ContainerLimits): Cgroup;
  /** Removes what is empty. */
  close(): void;
}

const mountPoint = '/sys/fs/cgroup';
/** The kernel's period for CPU limits, in microseconds. */
const period = 100_000;

/**
 * Undefined when nothing can be limited here: no cgroups, or none that may be written. `parent` is a name of the caller's own:
 * what another process left there is removed.
 */
export function findCgroups(parent: string): Cgroups | undefined {
  if (existsSync(join(mountPoint, 'cgroup.controllers'))) return unified(join(mountPoint, parent));
  const memory = join(mountPoint, 'memory', parent);
  const cpu = join(mountPoint, 'cpu', parent);
  return writable(memory) && writable(cpu) ? split(memory, cpu) : undefined;
}

function writable(folder: string): boolean {
  try {
    createFolder(folder);
    accessSync(folder, constants.W_OK);
    removeChildren(folder);
    return true;
  } catch {
    return false;
  }
}

/** Cgroups that have processes stay: the kernel does not let them go. */
function removeChildren(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) attempt(() => rmdirSync(join(folder, entry.name)));
}

function removeParents(...folders: readonly string[]): void {
  for (const folder of folders) {
    attempt(() => removeChildren(folder));
    attempt(() => rmdirSync(folder));
  }
}

function write(folder: string, file: string, value: string | number): void {
  writeFileSync(join(folder, file), String(value));
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The kernel may lack this one, or the folder may be gone.
  }
}

function unified(parent: string): Cgroups | undefined {
  if (!writable(parent)) return undefined;
  try {
    write(parent, 'cgroup.subtree_control', '+memory +cpu +pids');
  } catch {
    return undefined;
  }
  return {
    create(id, { memoryBytes, cpuMillis, cpuRequestMillis }) {
      const folder = join(parent, id);
      createFolder(folder);
      if (memoryBytes !== undefined) {
        write(folder, 'memory.max', memoryBytes);
        attempt(() => write(folder, 'memory.swap.max', 0));
      }
      if (cpuMillis !== undefined) write(folder, 'cpu.max', `${quota(cpuMillis)} ${period}`);
      if (cpuRequestMillis !== undefined) attempt(() => write(folder, 'cpu.weight', weight(cpuRequestMillis)));
      return {
        folders: [folder],
        oomKilled: () => counter(folder, 'memory.events', 'oom_kill') > 0,
        remove: () => attempt(() => rmdirSync(folder)),
      };
    },
    close: () => removeParents(parent),
  };
}

function split(memory: string, cpu: string): Cgroups {
  return {
    create(id, { memoryBytes, cpuMillis, cpuRequestMillis }) {
      const folders: string[] = [];
      const memoryFolder = join(memory, id);
      if (memoryBytes !== undefined) {
        createFolder(memoryFolder);
        write(memoryFolder, 'memory.limit_in_bytes', memoryBytes);
        attempt(() => write(memoryFolder, 'memory.memsw.limit_in_bytes', memoryBytes));
        folders.push(memoryFolder);
      }
      if (cpuMillis !== undefined || cpuRequestMillis !== undefined) {
        const folder = join(cpu, id);
        createFolder(folder);
        if (cpuRequestMillis !== undefined) attempt(() => write(folder, 'cpu.shares', shares(cpuRequestMillis)));
        if (cpuMillis !== undefined) {
          attempt(() => write(folder, 'cpu.cfs_period_us', period));
          attempt(() => write(folder, 'cpu.cfs_quota_us', quota(cpuMillis)));
        }
        folders.push(folder);
      }
      return {
        folders,
        oomKilled: () => memoryBytes !== undefined && counter(memoryFolder, 'memory.oom_control', 'oom_kill') > 0,
        remove: () => {
          for (const folder of folders) attempt(() => rmdirSync(folder));
        },
      };
    },
    close: () => removeParents(memory, cpu),
  };
}

/** The kernel takes no less than a millisecond of each period. */
function quota(cpuMillis: number): number {
  return Math.max(1000, Math.round((cpuMillis * period) / 1000));
}

function shares(cpuMillis: number): number {
  return Math.min(262_144, Math.max(2, Math.floor((cpuMillis * 1024) / 1000)));
}

/** The scale of version 2 for the shares of version 1. */
function weight(cpuMillis: number): number {
  return Math.floor(1 + ((shares(cpuMillis) - 2) * 9999) / 262_142);
}

function counter(folder: string, file: string, name: string): number {
  try {
    const line = readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  } catch {
    return 0;
  }
}
