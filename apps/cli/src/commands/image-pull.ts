import { systemClock } from '@tektite/meta';
import { machineLogins, parsePlatform } from '@tektite/oci';
import { byteText } from '../image/byte-text.ts';
import { PullView } from '../image/pull-view.ts';
import { type ImageStoreChoice, withImageStore } from '../image/with-image-store.ts';

export interface ImagePullOptions extends ImageStoreChoice {
  readonly platform?: string;
  readonly policy: 'Always' | 'IfNotPresent';
  readonly output: string;
}

/** `tektite image pull`: brings images of registries into the image store. */
export async function imagePull(names: readonly string[], options: ImagePullOptions): Promise<void> {
  const platform = options.platform === undefined ? {} : { platform: parsePlatform(options.platform) };
  await withImageStore(options, async (store, signal) => {
    using view = new PullView();
    const pulled: object[] = [];
    for (const name of names) {
      const start = systemClock.monotonic();
      const { policy } = options;
      const image = await store.pull(name, {
        ...platform,
        policy,
        signal,
        credentials: machineLogins,
        onProgress: view.report,
      });
      await image.release();
      const { digest, repoDigest, imageID, layers, size } = image;
      pulled.push({ name, digest, repoDigest, imageID, layers: layers.length, size });
      if (options.output !== 'text') continue;
      const seconds = ((systemClock.monotonic() - start) / 1000).toFixed(1);
      process.stdout.write(`${repoDigest}  ${byteText(size)}, ${layers.length} layers, ${seconds} s\n`);
    }
    if (options.output === 'json') process.stdout.write(`${JSON.stringify(pulled, undefined, 2)}\n`);
  });
}
