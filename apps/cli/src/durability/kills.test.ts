import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, openClient } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { freePorts } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';
import { definitionHolder, HolderWriter, namespaceHolder } from './holder-writer.ts';
import { configMap, Marks, ObjectWriter } from './object-writer.ts';
import { WatchRecorder } from './watch-recorder.ts';

const kills = Number(process.env['TEKTITE_KILLS'] ?? 12);
const seed = Number(process.env['TEKTITE_SEED'] ?? 1);
const namespace = 'default';

interface Writer {
  check(client: Client): Promise<readonly string[]>;
  writeOnce(client: Client): Promise<boolean>;
}

/** Counts acknowledged writes, so that a kill comes after as many on a slow machine as on a fast one. */
class Load {
  acknowledged = 0;
  private target = Number.POSITIVE_INFINITY;
  private reached = () => {};

  /** Resolves after so many more writes. */
  more(count: number): Promise<void> {
    this.target = this.acknowledged + count;
    return new Promise((resolve) => (this.reached = resolve));
  }

  /** Writes until the server does not answer any more. */
  async write(writer: Writer, client: Client): Promise<void> {
    while (await writer.writeOnce(client)) {
      this.acknowledged += 1;
      if (this.acknowledged >= this.target) this.reached();
    }
  }
}

it(`a control plane that is killed loses, repeats and reorders no acknowledged write of any verb (${kills} times, seed ${seed})`, {
  timeout: 120_000 + kills * 10_000,
}, async () => {
  using scratch = new Scratch();
  const random = seededRandom(seed);
  const marks = new Marks();
  const data = join(scratch.path, 'data');
  const kubeconfig = join(data, 'kubeconfig');
  const [port] = await freePorts(1);
  const args = ['up', '--data-dir', data, '--port', String(port), '--runtime', 'none'];
  const objects = ['a', 'b', 'c'].map((worker) => {
    const names = [0, 1, 2, 3].map((index) => `${worker}${index}`);
    return new ObjectWriter(configMap, namespace, names, seededRandom(random.next() * 2 ** 31), marks);
  });
  const holders = [namespaceHolder('held'), definitionHolder('things')].map(
    (holder) => new HolderWriter(holder, seededRandom(random.next() * 2 ** 31), marks),
  );
  const writers: readonly Writer[] = [...objects, ...holders];
  let recorder: WatchRecorder | undefined;
  const load = new Load();
  const wrong: string[] = [];

  for (let life = 0; life <= kills; life++) {
    await using up = scratch.spawn(args);
    // Some are killed while they start.
    if (life < kills && random.next() < 0.15) {
      await delay(random.next() * 600);
      continue;
    }
    await up.said(/Ctrl-C/);
    await using client = await openClient({ kubeconfig });
    for (const writer of writers) wrong.push(...(await writer.check(client)));
    expect(wrong, `life ${life}`).toEqual([]);
    const { metadata } = await client.list(configMap);
    recorder ??= new WatchRecorder(Number(metadata.resourceVersion));
    const { length } = recorder.events;
    await recorder.replay(client, Math.max(0, length - 1 - Math.floor(random.next() * 300)));
    expect(recorder.errors, `life ${life}`).toEqual([]);

    const following = recorder.follow(client);
    const enough = load.more(1 + Math.floor(random.next() ** 2 * 400));
    const writing = Promise.all(writers.map((writer) => load.write(writer, client)));
    // A writer that fails ends the test, not the wait.
    await Promise.race([enough, writing]);
    await delay(random.next() * 20);
    await up.stop(random.next() < 0.9 ? 'SIGKILL' : 'SIGTERM');
    await writing;
    await following;
    expect(up.output).not.toMatch(/\n {4}at |internal error/);
  }

  await using up = await scratch.start(args, /Ctrl-C/);
  await using client = await openClient({ kubeconfig });
  for (const writer of writers) wrong.push(...(await writer.check(client)));
  expect(wrong).toEqual([]);
  const following = recorder?.follow(client);
  for (const { objects: each } of objects)
    for (const { name, history } of each)
      await expect.poll(() => recorder?.marksOf(namespace, name), { timeout: 15_000, message: name }).toEqual(history);
  expect(recorder?.errors).toEqual([]);
  expect(load.acknowledged).toBeGreaterThan(kills * 20);
  await up.stop();
  await following;
  console.info(
    `${load.acknowledged} writes acknowledged, ${holders.map(({ generations }) => generations).join(' + ')} holders deleted`,
  );
});
