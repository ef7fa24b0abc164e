import { accessSync, constants, existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '@tektite/client';
import type { ContainerLimits } from '../runtime/pod-runtime.ts';

/** The limits of one container, enforced by the kernel. */
export interface Cgroup {
  /** The folders whose `cgroup.procs` a process has to join. */
  readonly folders: readonly string[];
  /** Replaces the limits. Throws a `MemoryInUseError` where the memory limit is below what is used now. */
  update(limits: ContainerLimits): void;
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

/** A memory limit cannot be set: more is used. */
export class MemoryInUseError extends Error {
  readonly limit: number;
  readonly usage: number;

  constructor(limit: number, usage: number) {
    super(`memory limit (${limit}) below current usage (${usage})`);
    this.limit = limit;
    this.usage = usage;
  }
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
  attempt(() => write(parent, 'cpu.weight', weight(cpus().length * 1000)));
  return {
    create(id, limits) {
      const folder = join(parent, id);
      createFolder(folder);
      const set = ({ memoryBytes, cpuMillis, cpuRequestMillis }: ContainerLimits) => {
        write(folder, 'memory.max', memoryBytes ?? 'max');
        attempt(() => write(folder, 'memory.swap.max', memoryBytes === undefined ? 'max' : 0));
        write(folder, 'cpu.max', `${cpuMillis === undefined ? 'max' : quota(cpuMillis)} ${period}`);
        if (cpuRequestMillis !== undefined) attempt(() => write(folder, 'cpu.weight', weight(cpuRequestMillis)));
      };
      set(limits);
      return {
        folders: [folder],
        update(changed) {
          checkMemory(changed, folder, 'memory.current');
          set(changed);
        },
        oomKilled: () => counter(folder, 'memory.events', 'oom_kill') > 0,
        remove: () => attempt(() => rmdirSync(folder)),
      };
    },
    close: () => removeParents(parent),
  };
}

function split(memory: string, cpu: string): Cgroups {
  attempt(() => write(cpu, 'cpu.shares', shares(cpus().length * 1000)));
  return {
    create(id, limits) {
      const memoryFolder = join(memory, id);
      const cpuFolder = join(cpu, id);
      const folders = [memoryFolder, cpuFolder];
      for (const folder of folders) createFolder(folder);
      const set = ({ memoryBytes = -1, cpuMillis, cpuRequestMillis }: ContainerLimits) => {
        // The limit with swap may at no time be the lower one: it has to be raised first, and lowered last.
        attempt(() => write(memoryFolder, 'memory.memsw.limit_in_bytes', memoryBytes));
        write(memoryFolder, 'memory.limit_in_bytes', memoryBytes);
        attempt(() => write(memoryFolder, 'memory.memsw.limit_in_bytes', memoryBytes));
        if (cpuRequestMillis !== undefined) attempt(() => write(cpuFolder, 'cpu.shares', shares(cpuRequestMillis)));
        attempt(() => write(cpuFolder, 'cpu.cfs_period_us', period));
        attempt(() => write(cpuFolder, 'cpu.cfs_quota_us', cpuMillis === undefined ? -1 : quota(cpuMillis)));
      };
      set(limits);
      return {
        folders,
        update(changed) {
          checkMemory(changed, memoryFolder, 'memory.usage_in_bytes');
          set(changed);
        },
        oomKilled: () => counter(memoryFolder, 'memory.oom_control', 'oom_kill') > 0,
        remove: () => {
          for (const folder of folders) attempt(() => rmdirSync(folder));
        },
      };
    },
    close: () => removeParents(memory, cpu),
  };
}

function checkMemory({ memoryBytes }: ContainerLimits, folder: string, file: string): void {
  if (memoryBytes === undefined) return;
  const usage = Number(readFileSync(join(folder, file), 'utf8'));
  if (usage >= memoryBytes) throw new MemoryInUseError(memoryBytes, usage);
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
