import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';
import { UserError } from '../user-error.ts';

/** `tektite image rm`: removes names and digests of the store. */
export async function imageRemove(names: readonly string[], choice: ImageStoreChoice): Promise<void> {
  await withImageStore(choice, async (store) => {
    for (const name of names) {
      if (!(await store.remove(name)))
        throw new UserError(`${name} is not in the image store; \`tektite image list\` shows the images that are`);
      process.stdout.write(`${name} removed\n`);
    }
  });
}
