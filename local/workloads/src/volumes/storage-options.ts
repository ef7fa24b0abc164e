/** Where claims get their volumes: folders of this machine. */
export interface StorageOptions {
  /** Under which folder each volume gets its own. */
  readonly directory: string;
  /** Creates the folder of a volume. Default none: the mount creates it, as `DirectoryOrCreate` requests. */
  createFolder?(path: string): Promise<void>;
  /** Removes the folder of a volume whose claim is deleted, with its content. */
  removeFolder(path: string): Promise<void>;
}

/** Volumes of classes with this provisioner are made here. */
export const provisioner = 'tektite.dev/local-folder';
