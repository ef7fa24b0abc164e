import { humanDuration, systemClock } from '@tektite/meta';
import type { ListedImage } from '@tektite/oci';
import { byteText } from '../image/byte-text.ts';
import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';
import { textTable } from '../text-table.ts';

export interface ImageListOptions extends ImageStoreChoice {
  readonly output: string;
}

/** `tektite image list`: the images of the store, the most recently used first. */
export async function imageList({ output, ...choice }: ImageListOptions): Promise<void> {
  const images = await withImageStore(choice, (store) => store.list());
  if (output === 'json') {
    process.stdout.write(`${JSON.stringify(images, undefined, 2)}\n`);
    return;
  }
  const rows = images.flatMap((image) =>
    (image.names.length > 0 ? image.names : ['']).map((name) => ({ name, image })),
  );
  if (output === 'name') for (const { name, image } of rows) process.stdout.write(`${name || image.digest}\n`);
  else if (rows.length === 0) process.stderr.write('The image store is empty.\n');
  else process.stdout.write(tableOf(rows, systemClock.now()));
}

function tableOf(rows: readonly { readonly name: string; readonly image: ListedImage }[], now: number): string {
  return textTable(
    [
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'DIGEST', cell: ({ image }) => image.digest.slice(0, 19) },
      { heading: 'PLATFORM', cell: ({ image }) => image.platform },
      { heading: 'SIZE', cell: ({ image }) => byteText(image.size) },
      { heading: 'ON DISK', cell: ({ image }) => byteText(image.diskBytes) },
      { heading: 'LAST USED', cell: ({ image }) => `${humanDuration(Math.max(0, now - image.lastUsed))} ago` },
    ],
    rows,
  );
}
