import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageStore } from './image-store.ts';

let folder: TestFolder;
let registry: TestRegistry;
const layer = layerOf([{ name: 'file', content: 'x'.repeat(1000) }]);
const image = imageOf([layer]);
const name = () => `${registry.host}/team/app:v1`;

beforeEach(async () => {
  folder = new TestFolder();
  registry = await TestRegistry.start();
  await pushImage(registry.origin, 'team/app', 'v1', image);
  await using store = await ImageStore.open({ folder: folder.join('store') });
  await (await store.pull(name())).release();
  await expect.poll(() => mark()['isSynced'], { timeout: 15_000 }).toBe(true);
}, 60_000);
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const layerFolder = () => folder.join('store/layers', readdirSync(folder.join('store/layers'))[0] as string);
const markFile = () => `${layerFolder()}/layer.json`;
const mark = () => JSON.parse(readFileSync(markFile(), 'utf8')) as Record<string, unknown>;

/** The machine stopped before the disk had the layer: its files have names and no content. */
function losePower(): void {
  writeFileSync(markFile(), JSON.stringify({ ...mark(), bootId: 'before', isSynced: false }));
  truncateSync(`${layerFolder()}/fs/file`, 0);
}

async function contentAfterwards(): Promise<string> {
  await using store = await ImageStore.open({ folder: folder.join('store') });
  const held = await store.pull(name());
  return readFileSync(`${held.layers[0]}/file`, 'utf8');
}

describe('after a loss of power', () => {
  it('layers that the disk has are used as they are', async () => {
    writeFileSync(markFile(), JSON.stringify({ ...mark(), bootId: 'before' }));
    writeFileSync(`${layerFolder()}/fs/file`, 'as it was');
    expect(await contentAfterwards()).toBe('as it was');
  });

  it('other layers are unpacked again from their blobs, without a registry', async () => {
    losePower();
    registry.intercept = (_, response) => {
      response.writeHead(500).end();
      return true;
    };
    expect((await contentAfterwards()).length).toBe(1000);
    expect(readdirSync(folder.join('store/tmp'))).toEqual([]);
  });

  it('blobs that were damaged too are downloaded again', async () => {
    losePower();
    const blobs = folder.join('store/blobs');
    for (const blob of readdirSync(blobs)) truncateSync(`${blobs}/${blob}`, 0);
    expect((await contentAfterwards()).length).toBe(1000);
  });

  it('records that were damaged count for nothing', async () => {
    for (const part of ['images', 'names'])
      for (const file of readdirSync(folder.join('store', part))) truncateSync(folder.join('store', part, file), 0);
    expect((await contentAfterwards()).length).toBe(1000);
    rmSync(folder.join('store/images'), { recursive: true });
    expect((await contentAfterwards()).length).toBe(1000);
  });
});
