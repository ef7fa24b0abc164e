/** Where claims get their volumes: folders of this machine. */
export interface StorageOptions {
  /** Under which folder each volume gets its own. */
  readonly directory: string;
  /** Makes the folder of a volume. Default none: whoever mounts it makes it, which `DirectoryOrCreate` asks for. */
  createFolder?(path: string): Promise<void>;
  /** Removes the folder of a volume whose claim is gone, with all that is in it. */
  removeFolder(path: string): Promise<void>;
}

/** Volumes of classes with this provisioner are made here. */
export const provisioner = 'tektite.dev/local-folder';
