import { existsSync } from 'node:fs';
import { defaultStoreFolder, type ImageConfig, ImageStore } from '@tektite/oci';

/** The configuration of an image if it is in the image store. Asks no registry, and makes no store where there is none. */
export async function storedConfig(image: string): Promise<ImageConfig | undefined> {
  if (!existsSync(defaultStoreFolder())) return undefined;
  await using store = await ImageStore.open();
  const held = await store.hold(image);
  await held?.release();
  return held?.config;
}
