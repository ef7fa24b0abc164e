import type { ImageConfig } from '../config/image-config.ts';

/** An image in the store, held so that garbage collection leaves it. */
export interface HeldImage {
  /** As the caller wrote it. */
  readonly reference: string;
  /** Of the manifest: `sha256:…`. */
  readonly digest: string;
  /** `registry/repository@sha256:…`, with the digest that the reference stands for: of the index where there is one. */
  readonly repoDigest: string;
  /** Of the configuration: `sha256:…`. */
  readonly imageID: string;
  /**
   * Unpacked layers, the uppermost first, as overlayfs names its lower directories. Whiteouts are character devices 0/0. Opaque
   * folders carry `user.overlay.opaque`, and `trusted.overlay.opaque` where root unpacked them: without root, mount with `userxattr`.
   * They are shared, and must not be changed.
   */
  readonly layers: readonly string[];
  readonly config: ImageConfig;
  /** Of its blobs in the registry, in bytes. */
  readonly size: number;
  /** Lets garbage collection have the image. Further calls do nothing. */
  release(): Promise<void>;
}
