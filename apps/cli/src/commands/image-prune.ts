import { byteText, readBytes } from '../image/byte-text.ts';
import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';
import { readDuration } from '../read-duration.ts';
import { UserError } from '../user-error.ts';

export interface ImagePruneOptions extends ImageStoreChoice {
  readonly olderThan?: string;
  readonly maxSize?: string;
  readonly all?: boolean;
  readonly output: string;
}

/** `tektite image prune`: frees disk space, and leaves the images of running containers. */
export async function imagePrune({ olderThan, maxSize, all, output, ...choice }: ImagePruneOptions): Promise<void> {
  if (olderThan === undefined && maxSize === undefined && !all)
    throw new UserError('--older-than, --max-size or --all: choose the images to remove', 2);
  const options = {
    ...(olderThan === undefined ? {} : { maxAgeMs: readDuration('--older-than', olderThan) }),
    ...(maxSize === undefined ? {} : { maxBytes: readBytes('--max-size', maxSize) }),
    ...(all ? { maxBytes: 0 } : {}),
  };
  const report = await withImageStore(choice, (store) => store.prune(options));
  if (output === 'json') process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  else {
    for (const name of report.removed) process.stdout.write(`${name} removed\n`);
    process.stderr.write(`${byteText(report.bytes)} freed\n`);
  }
}
