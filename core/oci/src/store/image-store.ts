import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { type Clock, systemClock } from '@tektite/meta';
import type { ImageReference } from '../image-reference.ts';
import { ownPlatform, type Platform, platformText } from '../platform.ts';
import { StoreError } from '../store-error.ts';
import { unpackLayer } from '../unpack-layer.ts';
import { parseName as parse } from './parse-name.ts';
import { LayersProgram } from '../unpack/layers-program.ts';
import { defaultLayerLimits, type LayerLimits } from '../unpack/unpack-blob.ts';
import type { CredentialSource, RegistrySettings } from './connect-registry.ts';
import type { BlobSource } from './download-blob.ts';
import { GarbageCollector, type PruneOptions, type PruneReport } from './collect-garbage.ts';
import type { HeldImage } from './held-image.ts';
import { readImageFolder } from './image-archive.ts';
import {
  fullName,
  type ImageRecord,
  type NameRecord,
  overlayOrder,
  readDocument,
  repositoryName,
  sizeOf,
} from './image-record.ts';
import { LayerCache } from './layer-cache.ts';
import { Lease, readLeases } from './lease.ts';
import { type ListedImage, listImages } from './list-images.ts';
import { pullImage } from './pull-image.ts';
import { type SavedImage, saveImages } from './save-images.ts';
import { defaultStoreFolder, StoreFolder } from './store-folder.ts';
import { type PullProgress, storeImage } from './store-image.ts';

export interface ImageStoreOptions {
  /** Default: `~/.cache/tektite/images`. Several processes may share one. */
  readonly folder?: string;
  readonly registries?: RegistrySettings;
  readonly limits?: LayerLimits;
  /**
   * Give files their owners within the subordinate ids of a user who is not root. Only for runtimes whose containers have the same ids:
   * 0 is the user, 1 and more are the range of /etc/subuid. Default: all files are the user's.
   */
  readonly mapsIds?: boolean;
  readonly clock?: Clock;
}

/** When a registry is asked, as the `imagePullPolicy` of containers has it. */
export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface PullOptions {
  /** Default: that of this machine. */
  readonly platform?: Platform;
  /** Default: none, the registry is asked anonymously. */
  readonly credentials?: CredentialSource;
  /** Default `IfNotPresent`. */
  readonly policy?: PullPolicy;
  readonly onProgress?: (progress: PullProgress) => void;
  /** How long the first connection to the registry may take. Default 10 s. */
  readonly dialTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface LoadOptions extends Pick<PullOptions, 'platform' | 'onProgress' | 'signal'> {
  /** Instead of the names in the archive, which has to have one image then. */
  readonly name?: string;
}

/** An image that came out of an archive. */
export interface LoadedImage {
  readonly digest: string;
  readonly names: readonly string[];
}

const maxArchiveBytes = 256 * 1024 ** 3;

/**
 * Images that are unpacked on this machine, in a folder that is addressed by content.
 *
 * Guarantees
 * - Blobs, layers and images appear complete or not at all, also when the process is killed. A download that was cut continues where
 *   it ended.
 * - Content is what its digest says: blobs are checked while they come, layers while they are unpacked.
 * - Several processes may use one folder. Each layer is downloaded and unpacked by one of them.
 * - An image is not removed as long as a process holds it. A process that ends holds nothing.
 * - Archives write nothing outside of their layer; those that try, or that expand without limit, are refused.
 *
 * Assumptions: a file system with locks (flock), extended attributes and, for deletions in layers, character devices 0/0; Linux 5.8.
 *
 * Errors: those of `storeErrors`.
 *
 * @example
 * await using store = await ImageStore.open();
 * const image = await store.pull('docker.io/library/busybox:1.36');
 * mount(`lowerdir=${image.layers.join(':')}`);
 * await image.release();
 */
export class ImageStore implements AsyncDisposable {
  readonly folder: StoreFolder;
  private readonly clock: Clock;
  private readonly registries: RegistrySettings;
  private readonly program: LayersProgram;
  private readonly layers: LayerCache;
  private readonly lease: Lease;
  private readonly collector: GarbageCollector;
  private ready: Promise<void> | undefined;

  private constructor(folder: StoreFolder, lease: Lease, options: ImageStoreOptions) {
    this.folder = folder;
    this.lease = lease;
    this.clock = options.clock ?? systemClock;
    this.registries = options.registries ?? {};
    this.program = new LayersProgram(undefined, options.mapsIds);
    this.collector = new GarbageCollector(folder, lease, this.program, this.clock);
    this.layers = new LayerCache(folder, this.program, options.limits ?? defaultLayerLimits, this.clock);
  }

  static async open(options: ImageStoreOptions = {}): Promise<ImageStore> {
    const folder = new StoreFolder(options.folder ?? defaultStoreFolder());
    await folder.create();
    return new ImageStore(folder, await Lease.open(folder), options);
  }

  /** The image of a name, pulled as the policy says. Hold it no longer than needed. */
  async pull(reference: string, options: PullOptions = {}): Promise<HeldImage> {
    const { policy = 'IfNotPresent', platform = ownPlatform() } = options;
    const image = parse(reference);
    if (policy !== 'Always') {
      const present = await this.hold(reference, { platform });
      if (present) return present;
    }
    if (policy === 'Never')
      throw new StoreError('NOT_FOUND', `${fullName(image)} is not in the image store, and must not be pulled`);
    await (this.ready ??= this.prepare());
    const signal = options.signal ?? new AbortController().signal;
    const { credentials = async () => [], onProgress, dialTimeoutMs } = options;
    const request = { image, platform, credentials, signal, dialTimeoutMs, ...(onProgress ? { onProgress } : {}) };
    const { folder, layers, lease, registries } = this;
    const { record, target } = await pullImage(request, { folder, layers, lease, registries });
    await this.setName(fullName(image), record.digest, target);
    const held = await this.holdRecord(reference, image, record.digest, target);
    if (!held) throw new StoreError('NOT_FOUND', `${fullName(image)} was removed while it was pulled; pull it again`);
    return held;
  }

  /** The image of a name if it is in the store, for this platform. Asks no registry. */
  async hold(
    reference: string,
    { platform }: { readonly platform?: Platform | undefined } = { platform: ownPlatform() },
  ): Promise<HeldImage | undefined> {
    const image = parse(reference);
    const named = await this.folder.read<NameRecord>(this.folder.name(fullName(image)));
    const digest = named?.digest ?? (image.isDigest ? image.reference : undefined);
    if (digest === undefined) return undefined;
    const held = await this.holdRecord(reference, image, digest, named?.target ?? digest, platform);
    return held;
  }

  /** All images, the most recently used first. */
  list(): Promise<readonly ListedImage[]> {
    return listImages(this.folder);
  }

  /**
   * Removes a name, and the image with its last name. A digest removes the image with all its names. Resolves with false when there is
   * no such image. Rejects with IN_USE when a process holds it.
   */
  async remove(nameOrDigest: string): Promise<boolean> {
    const name = nameOrDigest.startsWith('sha256:') ? undefined : fullName(parse(nameOrDigest));
    const image = (await this.list()).find(({ names, digest }) =>
      name === undefined ? digest === nameOrDigest : names.includes(name),
    );
    if (!image) return false;
    if (name !== undefined && image.names.length > 1) {
      await rm(this.folder.name(name), { force: true });
      return true;
    }
    if (await this.collector.remove(image.digest)) return true;
    throw new StoreError('IN_USE', `${nameOrDigest} is used by a container of a running process`);
  }

  /** Removes images that were not used for long, or the least recently used ones until the store is small enough. */
  prune(options: PruneOptions): Promise<PruneReport> {
    return this.collector.prune(options);
  }

  /** Loads images out of an OCI image layout or a `docker save` archive: a folder, or a tar file, also packed with gzip. */
  async load(path: string, options: LoadOptions = {}): Promise<readonly LoadedImage[]> {
    await (this.ready ??= this.prepare());
    const { platform = ownPlatform(), signal = new AbortController().signal, onProgress, name } = options;
    await using archive = await this.unpackArchive(path);
    const found = await readImageFolder(archive.path, platform);
    if (name !== undefined && found.length !== 1)
      throw new StoreError('INVALID_IMAGE', `${path} has ${found.length} images; a name is for one`);
    const loaded: LoadedImage[] = [];
    for (const { manifest, names: own, source } of found) {
      const names = (name === undefined ? own : [name]).map((each) => fullName(parse(each)));
      const label = names[0] ?? manifest.digest;
      const request = { source, name: label, signal, ...(onProgress ? { onProgress } : {}) };
      const { digest } = await storeImage(manifest, request, {
        folder: this.folder,
        layers: this.layers,
        lease: this.lease,
      });
      for (const each of names) await this.setName(each, digest, digest);
      loaded.push({ digest, names });
    }
    return loaded;
  }

  /** The bytes of a tar archive with these images, as an OCI image layout. */
  async *save(names: readonly string[]): AsyncGenerator<Uint8Array> {
    const held: HeldImage[] = [];
    try {
      const images: SavedImage[] = [];
      for (const reference of names) {
        const name = fullName(parse(reference));
        const image = await this.hold(reference, { platform: undefined });
        if (!image) throw new StoreError('NOT_FOUND', `${name} is not in the image store`);
        held.push(image);
        const record = await this.folder.read<ImageRecord>(this.folder.image(image.digest));
        if (record) images.push({ name, record });
      }
      yield* saveImages(images, this.folder);
    } finally {
      for (const image of held) await image.release();
    }
  }

  /** Gives an image of the store one more name. */
  private async setName(name: string, digest: string, target: string): Promise<void> {
    const pulledAt = new Date(this.clock.now()).toISOString();
    const record: NameRecord = { name, digest, target, pulledAt };
    await this.folder.write(this.folder.name(name), JSON.stringify(record), this.lease.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.layers.close();
    await this.lease.close();
  }

  /** Writes the lease before it checks that everything is there: see `Lease`. */
  private async holdRecord(
    reference: string,
    image: ImageReference,
    digest: string,
    target: string,
    platform?: Platform,
  ): Promise<HeldImage | undefined> {
    const give = this.lease.hold([digest]);
    const release = async () => give();
    try {
      const path = this.folder.image(digest);
      const record = await this.folder.read<ImageRecord>(path);
      const body = record && (await this.folder.readBlob(record.config.digest));
      if (!record || !body || (platform && !matches(record, platform)) || !(await this.isComplete(record))) {
        give();
        return undefined;
      }
      const { config } = readDocument(body);
      const now = this.clock.now() / 1000;
      await utimes(path, now, now).catch(() => undefined);
      return {
        reference,
        digest,
        repoDigest: `${repositoryName(image)}@${target}`,
        imageID: record.config.digest,
        layers: overlayOrder(record.layers).map(this.folder.layerFiles),
        config,
        size: sizeOf(record),
        release,
      };
    } catch (error) {
      give();
      throw error;
    }
  }

  /** After a loss of power, layers are unpacked again from their blobs. */
  private async isComplete({ layers }: ImageRecord): Promise<boolean> {
    const found = await Promise.all(layers.map((layer) => this.layers.has(layer)));
    if (found.every(Boolean)) return true;
    const { signal } = new AbortController();
    try {
      await (this.ready ??= this.prepare());
      for (const layer of layers) await this.layers.ensure({ layer, source: nowhere, lease: this.lease.id, signal });
      return true;
    } catch {
      return false;
    }
  }

  /** Before the first pull: removes the unfinished work of processes that were killed. */
  private async prepare(): Promise<void> {
    await readLeases(this.folder, this.lease.id, (id) => this.removeTemporary(id));
    if (process.getuid?.() === 0) return;
    const probe = this.folder.temporary(this.lease.id);
    await mkdir(probe);
    await this.program.probe(probe);
    await rm(probe, { recursive: true, force: true });
  }

  /** The folder of an archive. Disposing it removes what was unpacked. */
  private async unpackArchive(path: string): Promise<AsyncDisposable & { readonly path: string }> {
    const found = await stat(path).catch((cause: unknown) => {
      throw new StoreError('NOT_FOUND', `${path} cannot be read: ${(cause as Error).message}`, { cause });
    });
    if (found.isDirectory()) return { path, [Symbol.asyncDispose]: async () => undefined };
    const folder = this.folder.temporary(this.lease.id);
    const remove = () => rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    try {
      await unpackLayer(path, folder, maxArchiveBytes, { skipLinks: true });
    } catch (cause) {
      await remove();
      throw new StoreError('INVALID_IMAGE', `${path} cannot be unpacked: ${(cause as Error).message}`, { cause });
    }
    return { path: folder, [Symbol.asyncDispose]: remove };
  }

  private async removeTemporary(lease: string): Promise<void> {
    const names = (await this.folder.list('tmp')).filter((name) => name.startsWith(`${lease}-`));
    for (const name of names) {
      const path = `${this.folder.path}/tmp/${name}`;
      if ((await stat(path)).isDirectory()) await this.program.remove(path);
      else await rm(path, { force: true });
    }
  }
}

/** Layers whose blobs are in the store need no source. */
const nowhere: BlobSource = {
  openBlob: (digest) => Promise.reject(new StoreError('NOT_FOUND', `the blob ${digest} is not in the image store`)),
};

function matches({ platform }: ImageRecord, wanted: Platform): boolean {
  const text = platformText(wanted);
  return platform === '' || platform === text || platform.startsWith(`${text}/`) || text.startsWith(`${platform}/`);
}
