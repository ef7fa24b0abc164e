import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Client } from '@tektite/client';
import type { Pod, Volume } from '@tektite/schema/kubernetes';
import { writeAtomically } from './atomic-writer.ts';
import { claimPath } from './claim-path.ts';
import { prepareHostPath } from './host-path.ts';
import type { ProtectedFolders } from './protected-folders.ts';
import { removeTree } from './remove-tree.ts';
import { commonUser, hasPayload, type PayloadContext, volumePayload } from './volume-payload.ts';

/** A volume that can be mounted. */
export interface PreparedVolume {
  readonly path: string;
  /** Containers must not write it, whatever their mounts say. */
  readonly readOnly: boolean;
  /** Its names are links that we made: see `writeAtomically`. */
  readonly written: boolean;
  /** It is an image, of which the path is the uppermost layer: the layers below it. */
  readonly image?: { readonly under: readonly string[] };
  /**
   * For a path of this machine that a Pod or a claim names. Called with the path that is mounted, without links: throws where
   * it is protected, and gives the folders in it that the mount has to cover.
   */
  readonly protect?: (real: string) => readonly string[];
}

/** A volume that could not be made ready. The message is for an event. */
export class VolumeError extends Error {
  readonly volume: string;

  constructor(volume: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VolumeError';
    this.volume = volume;
  }
}

export interface PodVolumesOptions {
  readonly client: Client;
  /** False where mounts are not real: then all is looked up, and nothing is written. */
  readonly files: boolean;
  /** Volumes that are images are provided with each container, as its own image is. */
  readonly images: boolean;
  readonly protectedFolders: ProtectedFolders;
  /** A folder of the node's own in memory, for volumes that ask for it. Need not exist. */
  readonly memoryDirectory: string;
}

const tmpfsMagic = 0x01021994;

/** Makes the volumes of Pods ready, and keeps those that follow objects of the API up to date. */
export class PodVolumes {
  private readonly options: PodVolumesOptions;

  constructor(options: PodVolumesOptions) {
    this.options = options;
  }

  /** Prepares all volumes, or brings them up to date. Rejects with a {@link VolumeError} for the first that cannot be. */
  async prepare(pod: Pod, directory: string, context: PayloadContext): Promise<Map<string, PreparedVolume>> {
    const prepared = new Map<string, PreparedVolume>();
    for (const volume of pod.spec?.volumes ?? [])
      if (!volume.image || !this.options.images)
        prepared.set(volume.name, await this.prepareOne(pod, volume, directory, context));
    return prepared;
  }

  /** Writes again what has changed. What fails keeps its old content, as a kubelet would leave it. */
  async refresh(pod: Pod, directory: string, context: PayloadContext): Promise<VolumeError[]> {
    const problems: VolumeError[] = [];
    for (const volume of (pod.spec?.volumes ?? []).filter(hasPayload)) {
      try {
        await this.prepareOne(pod, volume, directory, context);
      } catch (error) {
        problems.push(error as VolumeError);
      }
    }
    return problems;
  }

  /** Removes what is not in the Pod's own folder. */
  async remove(uid: string): Promise<void> {
    if (this.options.files) await removeTree(this.memoryFolder(uid));
  }

  /** Removes the volumes of Pods that were deleted while the node was down. */
  async keepOnly(uids: ReadonlySet<string>): Promise<void> {
    if (!this.options.files) return;
    for (const uid of await readdir(this.options.memoryDirectory).catch(() => []))
      if (!uids.has(uid)) await this.remove(uid);
  }

  /** Leaves nothing that is empty. */
  async close(): Promise<void> {
    await rmdir(this.options.memoryDirectory).catch(() => undefined);
  }

  private async prepareOne(
    pod: Pod,
    volume: Volume,
    directory: string,
    context: PayloadContext,
  ): Promise<PreparedVolume> {
    try {
      if (hasPayload(volume)) return await this.written(pod, volume, directory, context);
      if (volume.emptyDir) return this.emptyDir(pod, volume, directory);
      if (volume.hostPath) return this.hostPath(volume.hostPath.path, volume.hostPath.type ?? '', false, false);
    } catch (error) {
      const why = (error as Error).message;
      throw new VolumeError(
        volume.name,
        `MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : ${why}`,
        { cause: error },
      );
    }
    return this.claimed(pod, volume);
  }

  private async written(pod: Pod, volume: Volume, directory: string, context: PayloadContext): Promise<PreparedVolume> {
    const payload = await volumePayload(pod, volume, context);
    const path = join(directory, 'volumes', pluginFolder(volume), volume.name);
    if (this.options.files) {
      const fsGroup = pod.spec?.securityContext?.fsGroup;
      const uid = volume.projected && fsGroup === undefined ? commonUser(pod) : undefined;
      const root = process.getuid?.() === 0;
      writeAtomically(path, payload, this.options.client.clock.now(), {
        ...(fsGroup === undefined || !root ? {} : { fsGroup }),
        ...(uid === undefined || !root ? {} : { uid }),
      });
    }
    return { path, readOnly: true, written: true };
  }

  private emptyDir(pod: Pod, volume: Volume, directory: string): PreparedVolume {
    const uid = pod.metadata.uid ?? '';
    const memory = volume.emptyDir?.medium === 'Memory' && this.memoryAvailable();
    const base = memory ? this.memoryFolder(uid) : join(directory, 'volumes', 'kubernetes.io~empty-dir');
    const path = join(base, volume.name);
    if (this.options.files && !existsSync(path)) {
      mkdirSync(base, { recursive: true, mode: 0o700 });
      mkdirSync(path);
      chmodSync(path, 0o777);
      this.ownByGroup(path, pod.spec?.securityContext?.fsGroup);
    }
    return { path, readOnly: false, written: false };
  }

  private ownByGroup(path: string, fsGroup: number | undefined): void {
    if (fsGroup === undefined || process.getuid?.() !== 0) return;
    chownSync(path, 0, fsGroup);
    chmodSync(path, 0o2777);
  }

  private hostPath(path: string, type: string, readOnly: boolean, isClaim: boolean): PreparedVolume {
    const { protectedFolders, files } = this.options;
    const absolute = resolve(path);
    protectedFolders.deny(absolute, isClaim);
    if (files) prepareHostPath(absolute, type);
    const protect = (real: string) => {
      protectedFolders.deny(real, isClaim);
      return protectedFolders.below(real);
    };
    return { path: absolute, readOnly, written: false, protect };
  }

  private async claimed(pod: Pod, volume: Volume): Promise<PreparedVolume> {
    const { name, namespace = '' } = pod.metadata;
    const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${name}-${volume.name}` : undefined);
    try {
      if (claim === undefined) throw new Error(`${volumeType(volume)} volumes are not supported by this node`);
      const found = await claimPath(this.options.client, namespace, claim, false);
      const prepared = this.hostPath(
        found.path,
        found.type,
        found.readOnly || (volume.persistentVolumeClaim?.readOnly ?? false),
        true,
      );
      if (this.options.files) this.ownClaim(prepared.path, pod.spec?.securityContext?.fsGroup);
      return prepared;
    } catch (error) {
      const list = `unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]`;
      throw new VolumeError(volume.name, `Unable to attach or mount volumes: ${list}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** The folder of a claim is shared by all who may mount it, unless the Pod names a group. */
  private ownClaim(path: string, fsGroup: number | undefined): void {
    if (fsGroup === undefined || process.getuid?.() !== 0) return;
    const { uid, mode } = statSync(path);
    chownSync(path, uid, fsGroup);
    chmodSync(path, (mode & 0o7777) | 0o2770);
  }

  private memoryFolder(uid: string): string {
    return join(this.options.memoryDirectory, uid);
  }

  /** Whether such a folder exists and is ours: any user may create folders in its parent. */
  private memoryAvailable(): boolean {
    const { memoryDirectory, files } = this.options;
    if (!files) return false;
    try {
      mkdirSync(memoryDirectory, { mode: 0o700 });
    } catch {
      // It is there, or cannot be.
    }
    try {
      const stat = lstatSync(memoryDirectory);
      return stat.isDirectory() && stat.uid === process.getuid?.() && statfsSync(memoryDirectory).type === tmpfsMagic;
    } catch {
      return false;
    }
  }
}

function pluginFolder(volume: Volume): string {
  if (volume.configMap) return 'kubernetes.io~configmap';
  if (volume.secret) return 'kubernetes.io~secret';
  if (volume.projected) return 'kubernetes.io~projected';
  return 'kubernetes.io~downward-api';
}

function volumeType(volume: Volume): string {
  return Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
}
