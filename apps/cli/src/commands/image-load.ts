import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parsePlatform } from '@tektite/oci';
import { PullView } from '../image/pull-view.ts';
import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';

export interface ImageLoadOptions extends ImageStoreChoice {
  readonly name?: string;
  readonly platform?: string;
  readonly output: string;
}

/** `tektite image load`: images out of files, for machines without a registry. */
export async function imageLoad(paths: readonly string[], options: ImageLoadOptions): Promise<void> {
  const { name } = options;
  const platform = options.platform === undefined ? {} : { platform: parsePlatform(options.platform) };
  const loaded = await withImageStore(options, async (store, signal) => {
    using view = new PullView();
    const all = [];
    for (const path of paths) {
      await using file = await inputFile(path);
      const more = { signal, onProgress: view.report, ...platform, ...(name === undefined ? {} : { name }) };
      all.push(...(await store.load(file.path, more)));
    }
    return all;
  });
  if (options.output === 'json') process.stdout.write(`${JSON.stringify(loaded, undefined, 2)}\n`);
  else for (const { digest, names } of loaded) process.stdout.write(`${names.join(' ') || digest}\n`);
}

/** A file that can be read twice: standard input becomes one. */
async function inputFile(path: string): Promise<AsyncDisposable & { readonly path: string }> {
  if (path !== '-') return { path, [Symbol.asyncDispose]: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'tektite-image-'));
  const file = join(folder, 'image.tar');
  const remove = () => rm(folder, { recursive: true, force: true });
  await pipeline(process.stdin, createWriteStream(file)).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { path: file, [Symbol.asyncDispose]: remove };
}
