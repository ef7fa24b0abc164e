import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@tektite/meta';
import type { LayerOwners } from '../unpack/layers-program.ts';
import type { StoreFolder } from './store-folder.ts';

const maxWaitMs = 2000;

/** The file beside an unpacked layer. */
interface LayerMark {
  readonly diffId: string;
  readonly bytes: number;
  readonly owners: LayerOwners;
  /** Which start of the machine wrote it. */
  readonly bootId: string;
  /** Whether its files have reached the disk. */
  readonly isSynced?: boolean;
}

/**
 * Which unpacked layers can be trusted. A machine that loses power may lose the content of files whose names it has: so a layer counts
 * only if it was unpacked since the machine started, or if the disk has had all of it. Others are unpacked again from their blobs.
 *
 * The disk gets its time after a pull. Closing the store waits for it a little: a layer without a mark costs time after the next start of
 * the machine, and nothing else.
 */
export class LayerMarks {
  private readonly folder: StoreFolder;
  private readonly clock: Clock;
  private readonly owners: LayerOwners;
  private readonly bootId: string;
  private readonly pending = new Set<string>();
  private syncing: Promise<void> | undefined;
  private readonly abort = new AbortController();

  constructor(folder: StoreFolder, owners: LayerOwners, clock: Clock, bootId: string = ownBootId()) {
    this.folder = folder;
    this.clock = clock;
    this.owners = owners;
    this.bootId = bootId;
  }

  /** The content of the file of a new layer. */
  markOf(diffId: string, counts: object): string {
    return JSON.stringify({ diffId, owners: this.owners, bootId: this.bootId, ...counts });
  }

  /** Whether the layer is there, with the right owners, and was not damaged by a loss of power. */
  async isTrusted(diffId: string): Promise<boolean> {
    const mark = await this.read(diffId);
    if (mark?.owners !== this.owners) return false;
    return mark.isSynced === true || mark.bootId === this.bootId;
  }

  /** Has the disk write a layer soon. */
  syncSoon(diffId: string, lease: string): void {
    this.pending.add(diffId);
    this.syncing ??= this.sync(lease).finally(() => {
      this.syncing = undefined;
    });
  }

  /** Resolves when the disk has all layers, or has taken too long for it. */
  async close(): Promise<void> {
    using _limit = this.clock.setTimer(maxWaitMs, () => this.abort.abort());
    while (this.syncing) await this.syncing;
  }

  private async sync(lease: string): Promise<void> {
    while (this.pending.size > 0) {
      const layers = [...this.pending];
      this.pending.clear();
      if (!(await syncFileSystem(this.folder.path, this.abort.signal))) return;
      for (const diffId of layers) {
        const mark = await this.read(diffId);
        const path = join(this.folder.layer(diffId), 'layer.json');
        // Garbage collection may have been faster.
        if (mark)
          await this.folder.write(path, JSON.stringify({ ...mark, isSynced: true }), lease).catch(() => undefined);
      }
    }
  }

  private read(diffId: string): Promise<LayerMark | undefined> {
    return this.folder.read<LayerMark>(join(this.folder.layer(diffId), 'layer.json'));
  }
}

/** Node cannot ask for it. Without the program, layers are unpacked again after a restart. */
function syncFileSystem(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', folder], { stdio: 'ignore', signal });
    // A process that waits for the disk cannot be killed; it is left behind.
    signal.addEventListener('abort', () => child.unref(), { once: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

function ownBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
