import { readFile } from 'node:fs/promises';
import type { Clock } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { RunningContainer } from '../runtime/pod-runtime.ts';
import { nanosecondsPerTick, ProcessTable, type TreeUsage } from './process-table.ts';

/** Processor use, averaged over a window, and memory use at its end. */
export interface Usage {
  readonly cpuNanocores: number;
  readonly memoryBytes: number;
  readonly windowMs: number;
}

export interface PodUsage {
  readonly pod: Pod;
  readonly containers: readonly (Usage & { readonly name: string })[];
}

/** The use of this machine and of its Pods. */
export interface MachineUsage {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly machine: Usage;
  readonly pods: readonly PodUsage[];
}

/** A Pod with the containers that run. */
export interface RunningPod {
  readonly pod: Pod;
  readonly containers: ReadonlyMap<string, RunningContainer>;
}

interface Sample {
  readonly at: number;
  readonly cpuNanoseconds: number;
}

/** A shorter window would measure ticks. */
const shortestWindowMs = 2000;

/**
 * Measures on demand, without a timer. The window of a result begins with the sample before, or with the start of the container, so
 * that the first answer about a container has a value too.
 */
export class UsageSampler {
  private readonly clock: Clock;
  private readonly samples = new Map<string, Sample>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async measure(running: readonly RunningPod[]): Promise<MachineUsage> {
    const table = await ProcessTable.read();
    const at = this.clock.now();
    const seen = new Set(['']);
    const pods: PodUsage[] = [];
    for (const { pod, containers } of running) {
      const measured: (Usage & { readonly name: string })[] = [];
      for (const [name, { id, processId, startedAt }] of containers) {
        const used = processId === undefined ? undefined : await table.usageOf(processId);
        if (!used) continue;
        seen.add(id);
        measured.push({ name, ...this.since(id, { at: startedAt, cpuNanoseconds: 0 }, used, at) });
      }
      if (measured.length > 0) pods.push({ pod, containers: measured });
    }
    const total = await machineUsage();
    const machine = this.since('', { at: at - total.uptimeMs, cpuNanoseconds: 0 }, total, at);
    for (const id of this.samples.keys()) if (!seen.has(id)) this.samples.delete(id);
    return { at, machine, pods };
  }

  private since(id: string, start: Sample, { cpuNanoseconds, memoryBytes }: TreeUsage, at: number): Usage {
    const before = this.samples.get(id);
    const isOld = before !== undefined && at - before.at >= shortestWindowMs;
    if (!before || isOld) this.samples.set(id, { at, cpuNanoseconds });
    const from = isOld ? before : start;
    const windowMs = Math.max(1, at - from.at);
    const spent = Math.max(0, cpuNanoseconds - from.cpuNanoseconds);
    return { cpuNanocores: Math.round((spent / windowMs) * 1000), memoryBytes, windowMs };
  }
}

/** The time that all processors were busy since the machine started, and the memory that is not available to programs. */
async function machineUsage(): Promise<TreeUsage & { readonly uptimeMs: number }> {
  const [stat, memory, uptime] = await Promise.all(
    ['stat', 'meminfo', 'uptime'].map((name) => readFile(`/proc/${name}`, 'latin1')),
  );
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = (
    /^cpu +(.*)$/m.exec(stat ?? '')?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(memory ?? '')?.[1] ?? 0);
  return {
    cpuNanoseconds: (user + nice + system + interrupts + soft + stolen) * nanosecondsPerTick,
    memoryBytes: (kibibytes('MemTotal') - kibibytes('MemAvailable')) * 1024,
    uptimeMs: Number((uptime ?? '').split(' ')[0]) * 1000,
  };
}
