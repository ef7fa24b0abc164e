import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskRunKind } from '@tektite/pipelines';
import { printTable, type Row } from '../table.ts';
import { oneStep } from '../one-step.ts';
import { benchRealServer, noRealServer } from '../real-server.ts';
import { startBench, type TektonBench } from '../tekton-bench.ts';

/** TaskRuns of one step, from their creation to their end. */
export async function benchTaskRuns({ quick }: { quick: boolean }): Promise<void> {
  const ok: boolean[] = [];
  // The timers of controllers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  // First, while the process is young: what comes after it leaves the server's code and much garbage behind.
  const real = await benchRealServer({
    kind: TaskRunKind,
    spec: oneStep,
    count: quick ? 200 : 1000,
    tekton: { perSecond: 45, alone: 80 },
  });
  if (real) ok.push(printTable('TaskRuns of one step, on a real kube-apiserver; their Pods end at once', real));
  else console.log(noRealServer);
  {
    await using bench = await startBench();
    const rows = [...(await benchAlone(bench, quick ? 20 : 100)), ...(await benchMany(bench, quick ? 200 : 1000))];
    ok.push(printTable('TaskRuns of one step, simulated', rows));
  }
  {
    await using bench = await startBench('host');
    ok.push(printTable('TaskRuns of one step, as processes of this machine', await benchAlone(bench, quick ? 10 : 50)));
  }
  ok.push(printTable('tektite run', [benchCommand(quick ? 3 : 9)]));
  clearInterval(alive);
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

async function run(bench: TektonBench, name: string): Promise<number> {
  const started = performance.now();
  const over = bench.ended(name);
  await bench.cluster.client.create(TaskRunKind, { metadata: { namespace: 'default', name }, spec: oneStep });
  await over;
  return performance.now() - started;
}

async function benchAlone(bench: TektonBench, rounds: number): Promise<Row[]> {
  // Until the compiler knows what is hot.
  for (let i = 0; i < 20; i++) await run(bench, `warm-${i}`);
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) times.push(await run(bench, `alone-${i}`));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return [
    { what: 'one alone, p50', value: at(0.5), unit: 'ms', elsewhere: '80 with Tekton 1.15' },
    { what: 'one alone, p99', value: at(0.99), unit: 'ms' },
  ];
}

async function benchMany(bench: TektonBench, count: number): Promise<Row[]> {
  const memory = used();
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, (_, i) => run(bench, `many-${i}`)));
  const seconds = (performance.now() - started) / 1000;
  return [
    {
      what: `${count} at once`,
      value: count / seconds,
      unit: 'runs/s',
      target: { value: 200, better: 'more' },
      elsewhere: '40 to 45 with Tekton 1.15',
    },
    {
      what: 'memory for each finished run, with all that belongs to it',
      value: (used() - memory) / count / 1024,
      unit: 'KiB',
    },
  ];
}

function used(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** The command as a user types it: from the start of the process to its end. */
function benchCommand(rounds: number): Row {
  const folder = mkdtempSync(join(tmpdir(), 'tektite-bench-'));
  const file = join(folder, 'run.json');
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata: { name: 'one' }, spec: oneStep }),
  );
  const bin = new URL('../../../apps/cli/bin/tektite.js', import.meta.url).pathname;
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [bin, 'run', '-f', file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tektite run ended with ${status}: ${stderr}`);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  rmSync(folder, { recursive: true, force: true });
  const value = times[Math.floor(rounds / 2)] ?? 0;
  return {
    what: 'a TaskRun of one step, process start to exit, p50',
    value,
    unit: 'ms',
    target: { value: 1000, better: 'less' },
  };
}
