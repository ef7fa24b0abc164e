import { chmodSync, mkdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../volumes/remove-tree.ts';

/** Private folders of every container: name in the scratch folder, path inside, mode. */
export const privateFolders = [
  ['tmp', '/tmp', 0o1777],
  ['var-tmp', '/var/tmp', 0o1777],
  ['home', '/root', 0o700],
  ['homes', '/home', 0o755],
  ['run', '/run', 0o755],
] as const;

/** How many are kept ready: at first, and once there was none when one was needed. */
const firstSpares = 2;
const maxSpares = 8;

/** Sets of those folders, on disk because they may grow, made ahead because that takes a while. */
export class ScratchPool {
  private readonly directory: string;
  private readonly ready: string[] = [];
  private readonly removals = new Set<Promise<void>>();
  private filling: Promise<void> | undefined;
  private spares = firstSpares;
  private next = 0;
  private closed = false;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Leftovers of another process are removed. */
  async open(): Promise<void> {
    await removeTree(this.directory);
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    await this.fill();
  }

  take(): string {
    const spare = this.ready.pop();
    if (spare === undefined) this.spares = maxSpares;
    if (this.ready.length < this.spares / 2)
      this.filling ??= this.fill().finally(() => {
        this.filling = undefined;
      });
    return spare ?? this.makeNow();
  }

  /** Removes a used one. Only `close` waits for it. */
  discard(folder: string): void {
    const removal = removeTree(folder)
      .catch(() => undefined)
      .finally(() => this.removals.delete(removal));
    this.removals.add(removal);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.filling;
    await Promise.all(this.removals);
    await removeTree(this.directory);
  }

  private makeNow(): string {
    const folder = join(this.directory, String(this.next++));
    mkdirSync(folder, { mode: 0o711 });
    for (const [name, , mode] of privateFolders) {
      mkdirSync(join(folder, name));
      chmodSync(join(folder, name), mode);
    }
    return folder;
  }

  private async fill(): Promise<void> {
    while (this.ready.length < this.spares && !this.closed) {
      const folder = join(this.directory, String(this.next++));
      await mkdir(folder, { mode: 0o711 });
      for (const [name, , mode] of privateFolders) {
        await mkdir(join(folder, name));
        await chmod(join(folder, name), mode);
      }
      this.ready.push(folder);
    }
  }
}
