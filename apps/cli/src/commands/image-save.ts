import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';
import { UserError } from '../user-error.ts';

export interface ImageSaveOptions extends ImageStoreChoice {
  readonly file?: string;
}

/** `tektite image save`: images as one tar file, an OCI image layout. */
export async function imageSave(names: readonly string[], { file, ...choice }: ImageSaveOptions): Promise<void> {
  if (file === undefined && process.stdout.isTTY)
    throw new UserError('--file: name a file, or redirect the output; an archive is not for terminals', 2);
  await withImageStore(choice, async (store, signal) => {
    if (file === undefined) {
      await pipeline(store.save(names), process.stdout, { signal, end: false });
      return;
    }
    // A file that is there is complete.
    const part = `${file}.part`;
    try {
      await pipeline(store.save(names), createWriteStream(part), { signal });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  });
}
