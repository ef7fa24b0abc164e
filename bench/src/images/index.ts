import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { ImageStore } from '@tektite/oci';
import {
  busyboxLayer,
  DockerRegistry,
  imageOf,
  layerOf,
  pushImage,
  TestFolder,
  type TestLayer,
} from '@tektite/testkit/images';
import { printTable, type Row } from '../table.ts';

/** Images from a registry on this machine to unpacked layers, beside GNU tar on the same layers. */
export async function benchImages({ quick }: { quick: boolean }): Promise<void> {
  using folder = new TestFolder();
  await using registry = await DockerRegistry.start();
  const rows: Row[] = [...(await benchBusybox(registry, folder, quick ? 3 : 10))];
  const megabytes = quick ? 100 : 1000;
  for (const kilobytes of [1000, 64]) rows.push(...(await benchLarge(registry, folder, megabytes, kilobytes)));
  process.exitCode = printTable(`images from docker-registry; ${megabytes} MB in four layers`, rows) ? 0 : 1;
}

async function benchBusybox(registry: DockerRegistry, folder: TestFolder, count: number): Promise<readonly Row[]> {
  const name = `${registry.host}/bench/busybox:v1`;
  await pushImage(registry.origin, 'bench/busybox', 'v1', imageOf([busyboxLayer()]));
  const cold: number[] = [];
  const warm: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await using store = await ImageStore.open({ folder: folder.join(`busybox-${index}`) });
    await (await store.pull(name)).release();
    cold.push(performance.now() - start);
    const again = performance.now();
    await (await store.pull(name)).release();
    warm.push(performance.now() - again);
  }
  return [
    {
      what: 'busybox, cold: store opened, pulled, unpacked',
      value: median(cold),
      unit: 'ms',
      target: { value: 500, better: 'less' },
    },
    { what: 'busybox, in the store', value: median(warm), unit: 'ms' },
  ];
}

/** An image of files of one size, a quarter of which does not compress, as in images of programs. */
async function benchLarge(
  registry: DockerRegistry,
  folder: TestFolder,
  megabytes: number,
  kilobytes: number,
): Promise<readonly Row[]> {
  const layers = [0, 1, 2, 3].map((index) => largeLayer(index, (megabytes / 4) * 1000, kilobytes));
  const repository = `bench/large-${kilobytes}`;
  await pushImage(registry.origin, repository, 'v1', imageOf(layers));
  const reference = megabytes / unpackWithTar(layers, folder.join(`tar-${kilobytes}`));
  const place = folder.join(`large-${kilobytes}`);
  const pull = async () => {
    await using store = await ImageStore.open({ folder: place });
    const start = performance.now();
    await (await store.pull(`${registry.host}/${repository}:v1`)).release();
    return (megabytes / (performance.now() - start)) * 1000;
  };
  const pulled = await pull();
  // The blobs stay: the second pull only unpacks.
  for (const part of ['layers', 'images']) rmSync(`${place}/${part}`, { recursive: true });
  const unpacked = await pull();
  const files = `files of ${kilobytes} kB`;
  const target = { value: 150, better: 'more' } as const;
  return [
    { what: `${files}, pulled and unpacked`, value: pulled, unit: 'MB/s' },
    { what: `${files}, unpacked`, value: unpacked, unit: 'MB/s', reference, ...(kilobytes === 1000 ? { target } : {}) },
  ];
}

function largeLayer(index: number, totalKilobytes: number, kilobytes: number): TestLayer {
  let seed = index + 1;
  const files = Array.from({ length: totalKilobytes / kilobytes }, (_, file) => {
    const content = Buffer.alloc(kilobytes * 1000, 'the quick brown fox jumps over the lazy dog\n');
    for (let at = 0; at < content.length / 4; at += 4) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      content.writeUInt32LE(seed, at);
    }
    return { name: `layer${index}/${file % 100}/${file}`, content };
  });
  return layerOf(files);
}

/** Seconds for the layers one after the other. */
function unpackWithTar(layers: readonly TestLayer[], folder: string): number {
  mkdirSync(folder);
  let milliseconds = 0;
  for (const { blob } of layers) {
    const file = `${folder}.tar.gz`;
    writeFileSync(file, blob);
    const start = performance.now();
    const { status } = spawnSync('tar', ['-xzf', file, '-C', folder]);
    if (status !== 0) throw new Error('tar cannot unpack a layer');
    milliseconds += performance.now() - start;
  }
  return milliseconds / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
