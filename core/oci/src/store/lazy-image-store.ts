import { existsSync } from 'node:fs';
import { isStoreError, StoreError } from '../store-error.ts';
import { connectRegistry } from './connect-registry.ts';
import type { HeldImage } from './held-image.ts';
import { ImageStore, type ImageStoreOptions, type PullOptions } from './image-store.ts';
import { parseName } from './parse-name.ts';
import { defaultStoreFolder } from './store-folder.ts';

/** The methods of an image store that provide images to containers. */
export type ImageSource = Pick<ImageStore, 'hold' | 'pull'>;

/**
 * An image store whose folder is made by the first image that a registry gives. A process that needs no image leaves no folder behind, and
 * works for users who cannot have one.
 *
 * Errors: those of `ImageStore`, and STORE_UNAVAILABLE.
 */
export class LazyImageStore implements ImageSource, AsyncDisposable {
  private readonly options: ImageStoreOptions;
  private readonly folder: string;
  private opened: Promise<ImageStore> | undefined;

  constructor(options: ImageStoreOptions = {}) {
    this.options = options;
    this.folder = options.folder ?? defaultStoreFolder();
  }

  async hold(reference: string): Promise<HeldImage | undefined> {
    if (this.opened || existsSync(this.folder)) return (await this.open()).hold(reference);
    // Names that are none are reported alike with and without a folder.
    parseName(reference);
    return undefined;
  }

  async pull(reference: string, options: PullOptions = {}): Promise<HeldImage> {
    if (!this.opened && !existsSync(this.folder)) {
      const { credentials = async () => [], signal = new AbortController().signal, dialTimeoutMs } = options;
      await connectRegistry(parseName(reference), this.options.registries ?? {}, credentials, signal, dialTimeoutMs);
    }
    return (await this.open()).pull(reference, options);
  }

  private open(): Promise<ImageStore> {
    return (this.opened ??= ImageStore.open(this.options).catch((cause: unknown) => {
      this.opened = undefined;
      if (isStoreError(cause)) throw cause;
      const { message } = cause as Error;
      throw new StoreError('STORE_UNAVAILABLE', `the image store ${this.folder} cannot be used: ${message}`, { cause });
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}
