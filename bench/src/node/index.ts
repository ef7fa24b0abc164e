import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import {
  HostRuntime,
  type ImageService,
  PodmanRuntime,
  PodNetwork,
  type PodRuntime,
  SimulatedRuntime,
  startNode,
} from '@tektite/node';
import type { Pod } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { startWorkloads } from '@tektite/workloads';
import { printTable, type Row } from '../table.ts';
import { type BenchImage, openBenchImage } from './image-node.ts';
import { benchManyPods } from './many-pods.ts';
import { benchOciRuntimes } from './oci-runtime.ts';
import { benchPortForward } from './port-forward.ts';

/** How long Pods take from their creation to their end, with the scheduler and a node of this machine. */
export async function benchNode({ quick }: { quick: boolean }): Promise<void> {
  const ok: boolean[] = [];
  const rounds = quick ? 20 : 100;
  const host = await benchRuntime('host', rounds, 50);
  ok.push(printTable('Pods as processes of this machine (host)', host));
  ok.push(printTable('a network for each Pod', await benchNetwork(rounds)));
  await using image = await openBenchImage();
  if (image) ok.push(printTable('Pods from images', beside(await benchRuntime('images', rounds, 50, image), host)));
  else console.log('\nbusybox is not installed: the figures of images are left out');
  ok.push(printTable('many Pods', await benchManyPods(200)));
  const forwarded = await benchPortForward(quick ? 500 : 3000);
  if (forwarded) ok.push(printTable('port-forward', forwarded));
  else console.log('\nkubectl is not installed: the figures of port-forward are left out');
  const others = image ? benchOciRuntimes(rounds) : [];
  if (others.length > 0) ok.push(printTable('OCI runtimes alone, for scale: no Pod, no API, no log', others));
  else console.log('\ncrun and runc are not installed, or cannot run here: their figures are left out');
  ok.push(printTable('simulated Pods', await benchSimulated(quick ? 500 : 3000)));
  if (hasPodman()) ok.push(printTable('Pods by podman, for scale', await benchRuntime('podman', quick ? 3 : 10, 10)));
  else console.log('\npodman is not installed, or has no image localhost/busybox: its figures are left out');
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

/** The host runtime as the reference of the same rows; a container from an image may take twice as long. */
function beside(rows: readonly Row[], host: readonly Row[]): Row[] {
  const own = rows.map((row, index) => ({ ...row, reference: host[index]?.value ?? 0 }));
  const at = own.findIndex(({ what }) => what === 'alone: created to Succeeded, p50');
  const { value = 0, reference = 1 } = own[at] ?? {};
  const target = { value: 2, better: 'less' } as const;
  return [...own, { what: 'beside the host runtime', value: value / reference, unit: '×', target }];
}

interface Bench extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly node: string;
  /** Who wants to know of a Pod, by its name. */
  readonly watching: Map<string, (pod: Pod) => void>;
}

async function start(
  open: (directory: string) => PodRuntime,
  controllers = true,
  images?: ImageService,
): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const plane = await startControlPlane();
  const workloads = controllers ? await startWorkloads({ client: plane.client }) : undefined;
  const node = await startNode({
    client: plane.client,
    runtime: open(join(folder, 'runtime')),
    ...(images ? { images } : {}),
    dataDir: join(folder, 'node'),
  });
  const pods = new Informer<Pod, Pod>(plane.client, kinds.Pod);
  const watching = new Map<string, (pod: Pod) => void>();
  const deliver = (pod: Pod) => watching.get(pod.metadata.name ?? '')?.(pod);
  pods.addHandler({ added: deliver, modified: deliver });
  await pods.start().synced();
  return {
    plane,
    node: node.name,
    watching,
    async [Symbol.asyncDispose]() {
      await pods.stop();
      await node[Symbol.asyncDispose]();
      await workloads?.stop();
      await plane.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Times of one Pod, in milliseconds since it was created. */
interface Times {
  readonly running: number;
  readonly ended: number;
}

async function runPod({ plane, watching }: Bench, name: string, image: string, nodeName?: string): Promise<Times> {
  const created = performance.now();
  const at = { running: 0, ended: 0 };
  const over = new Promise<void>((resolve) => {
    watching.set(name, ({ status }) => {
      const { phase = 'Pending' } = status ?? {};
      if (phase !== 'Pending') at.running ||= performance.now() - created;
      if (phase !== 'Succeeded' && phase !== 'Failed') return;
      at.ended = performance.now() - created;
      watching.delete(name);
      resolve();
    });
  });
  await plane.client.create(kinds.Pod, {
    metadata: { namespace: 'default', name },
    spec: {
      ...(nodeName ? { nodeName } : {}),
      restartPolicy: 'Never',
      containers: [{ name: 'c', image, command: ['/bin/true'] }],
    },
  } as unknown as Pod);
  await over;
  return at;
}

async function benchRuntime(
  name: 'host' | 'images' | 'podman',
  rounds: number,
  crowd: number,
  from?: BenchImage,
): Promise<Row[]> {
  const open = (directory: string) =>
    name === 'podman'
      ? new PodmanRuntime({ directory })
      : new HostRuntime({ directory, usesImages: name === 'images' });
  await using bench = await start(open, true, from?.images);
  const image = from?.name ?? (name === 'host' ? 'bench' : 'localhost/busybox');
  for (let i = 0; i < 3; i++) await runPod(bench, `warm-${i}`, image);
  const alone: Times[] = [];
  for (let i = 0; i < rounds; i++) alone.push(await runPod(bench, `alone-${i}`, image));
  const started = performance.now();
  const together = await Promise.all(Array.from({ length: crowd }, (_, i) => runPod(bench, `crowd-${i}`, image)));
  const seconds = (performance.now() - started) / 1000;
  const at = (times: readonly Times[], which: keyof Times, share: number) =>
    times.map((each) => each[which]).sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
  const targets = { host: 50, images: 60, podman: undefined };
  const target = targets[name] === undefined ? {} : { target: { value: targets[name], better: 'less' as const } };
  return [
    { what: 'alone: created to running, p50', value: at(alone, 'running', 0.5), unit: 'ms' },
    { what: 'alone: created to Succeeded, p50', value: at(alone, 'ended', 0.5), unit: 'ms', ...target },
    { what: 'alone: created to Succeeded, p99', value: at(alone, 'ended', 0.99), unit: 'ms' },
    { what: `${crowd} at once: created to Succeeded, p50`, value: at(together, 'ended', 0.5), unit: 'ms' },
    { what: `${crowd} at once: created to Succeeded, p99`, value: at(together, 'ended', 0.99), unit: 'ms' },
    { what: `${crowd} at once`, value: crowd / seconds, unit: 'Pods/s' },
  ];
}

/** Pods with a network of their own beside Pods with the machine's, one after the other. */
async function benchNetwork(rounds: number): Promise<Row[]> {
  await using network = await PodNetwork.open({ directory: '/nowhere/bench' });
  await using without = await start((directory) => new HostRuntime({ directory }));
  await using withNetwork = await start((directory) => new HostRuntime({ directory, network }));
  const times = { without: [] as number[], with: [] as number[], add: [] as number[], remove: [] as number[] };
  for (let i = -5; i < rounds; i++) {
    const plain = await runPod(without, `pod-${i + 10}`, 'bench');
    const networked = await runPod(withNetwork, `pod-${i + 10}`, 'bench');
    if (i < 0) continue;
    times.without.push(plain.ended);
    times.with.push(networked.ended);
    const started = performance.now();
    await network.add(`bench ${i}`);
    const added = performance.now();
    await network.remove(`bench ${i}`);
    times.add.push(added - started);
    times.remove.push(performance.now() - added);
  }
  const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  return [
    { what: "the machine's network: created to Succeeded, p50", value: median(times.without), unit: 'ms' },
    { what: 'a network of its own: created to Succeeded, p50', value: median(times.with), unit: 'ms' },
    {
      what: 'the network adds',
      value: median(times.with) - median(times.without),
      unit: 'ms',
      target: { value: 5, better: 'less' },
    },
    { what: 'connecting a Pod, p50', value: median(times.add), unit: 'ms' },
    { what: 'removing it, p50', value: median(times.remove), unit: 'ms' },
  ];
}

async function benchSimulated(count: number): Promise<Row[]> {
  /** Bound by hand to a node that is alone, or scheduled on one among all controllers. */
  const rate = async (alone: boolean) => {
    await using bench = await start(() => new SimulatedRuntime(), !alone);
    const batch = 100;
    const run = (from: number) =>
      Promise.all(
        Array.from({ length: batch }, (_, i) =>
          runPod(bench, `p-${from + i + 10_000}`, 'bench', alone ? bench.node : undefined),
        ),
      );
    // Until the compiler knows what is hot.
    for (let from = -10 * batch; from < 0; from += batch) await run(from);
    const started = performance.now();
    for (let from = 0; from < count; from += batch) await run(from);
    return (count / (performance.now() - started)) * 1000;
  };
  return [
    {
      what: 'the node alone: bound, run, Succeeded',
      value: await rate(true),
      unit: 'Pods/s',
      target: { value: 500, better: 'more' },
    },
    { what: 'with all controllers: scheduled, run, Succeeded', value: await rate(false), unit: 'Pods/s' },
  ];
}

function hasPodman(): boolean {
  return spawnSync('podman', ['image', 'exists', 'localhost/busybox']).status === 0;
}
