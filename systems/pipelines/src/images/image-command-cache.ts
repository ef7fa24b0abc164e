import type { ImageCommands } from '../pod/image-commands.ts';

const maxEntries = 1024;

/** The commands of images, by digest, which never changes. The least recently used one is evicted. */
export class ImageCommandCache {
  private readonly entries = new Map<string, ImageCommands>();

  get(image: string, hasArguments: boolean): ImageCommands | undefined {
    const key = keyOf(image, hasArguments);
    const found = this.entries.get(key);
    if (!found) return undefined;
    this.entries.delete(key);
    this.entries.set(key, found);
    return found;
  }

  put(image: string, hasArguments: boolean, commands: ImageCommands): void {
    this.entries.set(keyOf(image, hasArguments), commands);
    const [oldest] = this.entries.keys();
    if (this.entries.size > maxEntries && oldest !== undefined) this.entries.delete(oldest);
  }
}

const keyOf = (image: string, hasArguments: boolean) => `${hasArguments} ${image}`;
