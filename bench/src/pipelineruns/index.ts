import { type PipelineTask, PipelineRunKind } from '@tektite/pipelines';
import { benchRealServer, noRealServer } from '../real-server.ts';
import { printTable, type Row } from '../table.ts';
import { startBench, type TektonBench } from '../tekton-bench.ts';

/** PipelineRuns from their creation to their end, with everything but the programs in their steps. */
export async function benchPipelineRuns({ quick }: { quick: boolean }): Promise<void> {
  const ok: boolean[] = [];
  // The timers of controllers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  const real = await benchRealServer({
    kind: PipelineRunKind,
    spec: { pipelineSpec: { tasks: threeLevels } },
    count: quick ? 30 : 100,
    tekton: { perSecond: 3.6, alone: 600 },
  });
  if (real)
    ok.push(
      printTable('PipelineRuns of five tasks in three levels, on a real kube-apiserver; their Pods end at once', real),
    );
  else console.log(noRealServer);
  {
    await using bench = await startBench();
    ok.push(
      printTable('PipelineRuns of five tasks in three levels, simulated', await benchMany(bench, quick ? 50 : 200)),
    );
  }
  {
    await using bench = await startBench();
    ok.push(printTable('one PipelineRun of many tasks, simulated', await benchLarge(bench, quick ? 200 : 1000)));
  }
  clearInterval(alive);
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

const task = (name: string, ...runAfter: string[]): PipelineTask => ({
  name,
  ...(runAfter.length > 0 ? { runAfter } : {}),
  taskSpec: { steps: [{ name: 's', image: 'bench', command: ['true'] }] },
});

/** One, then three that wait for it, then one that waits for all. */
const threeLevels = [task('a'), task('b', 'a'), task('c', 'a'), task('d', 'a'), task('e', 'b', 'c', 'd')];

async function run(bench: TektonBench, name: string, tasks: readonly PipelineTask[]): Promise<number> {
  const over = bench.ended(name);
  await bench.cluster.client.create(PipelineRunKind, {
    metadata: { namespace: 'default', name },
    spec: { pipelineSpec: { tasks } },
  });
  return over;
}

async function benchMany(bench: TektonBench, count: number): Promise<Row[]> {
  // Until the compiler knows what is hot.
  for (let i = 0; i < 20; i++) await run(bench, `warm-${i}`, threeLevels);
  const alone: number[] = [];
  for (let i = 0; i < 20; i++) {
    const started = performance.now();
    await run(bench, `alone-${i}`, threeLevels);
    alone.push(performance.now() - started);
  }
  alone.sort((a, b) => a - b);
  const before = bench.reconciles.get('pipelinerun') ?? 0;
  const memory = used();
  const started = performance.now();
  const changes = await Promise.all(Array.from({ length: count }, (_, i) => run(bench, `many-${i}`, threeLevels)));
  const seconds = (performance.now() - started) / 1000;
  const reconciles = (bench.reconciles.get('pipelinerun') ?? 0) - before;
  const all = changes.reduce((sum, each) => sum + each, 0);
  return [
    {
      what: `${count} at once`,
      value: count / seconds,
      unit: 'runs/s',
      target: { value: 20, better: 'more' },
      elsewhere: '3.6 with Tekton 1.15',
    },
    { what: 'one alone, p50', value: alone[10] ?? 0, unit: 'ms', elsewhere: '600 with Tekton 1.15' },
    { what: 'reconciles for each run', value: reconciles / count, unit: '' },
    {
      what: 'reconciles for each change of its state',
      value: reconciles / all,
      unit: '',
      target: { value: 1.5, better: 'less' },
    },
    {
      what: 'memory for each finished run, with all that belongs to it',
      value: (used() - memory) / count / 1024,
      unit: 'KiB',
    },
  ];
}

/** Ten at a time, each waiting for the ten before it. */
async function benchLarge(bench: TektonBench, count: number): Promise<Row[]> {
  const width = 10;
  const layered = (size: number) =>
    Array.from({ length: size }, (_, i) => {
      const layer = Math.floor(i / width) - 1;
      const parents = layer < 0 ? [] : Array.from({ length: width }, (__, j) => `t${layer * width + j}`);
      return task(`t${i}`, ...parents);
    });
  const time = async (name: string, size: number) => {
    const started = performance.now();
    await run(bench, name, layered(size));
    return performance.now() - started;
  };
  await time('warm', 50);
  const small = await time('small', count / 10);
  const large = await time('large', count);
  return [
    { what: `${count / 10} tasks: each`, value: small / (count / 10), unit: 'ms' },
    { what: `${count} tasks: each`, value: large / count, unit: 'ms', reference: small / (count / 10) },
    { what: `${count} tasks: all`, value: large / 1000, unit: 's' },
  ];
}

function used(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}
