import { type ImageDocument, parseImageDocument } from '../config/image-config.ts';
import type { ImageReference } from '../image-reference.ts';
import { StoreError } from '../store-error.ts';
import type { Descriptor, ImageManifest } from './image-manifest.ts';

export interface StoredLayer extends Descriptor {
  /** Of the uncompressed archive: names the unpacked layer. */
  readonly diffId: string;
}

/** An image whose layers are all in the store. */
export interface ImageRecord {
  /** Of the manifest. */
  readonly digest: string;
  readonly config: Descriptor;
  /** Lowest first. */
  readonly layers: readonly StoredLayer[];
  /** `linux/amd64` */
  readonly platform: string;
  readonly created: string;
}

/** A name and the image that it stands for. */
export interface NameRecord {
  readonly name: string;
  /** Of the manifest. */
  readonly digest: string;
  /** The digest that the registry gives for the name: of the index where there is one. */
  readonly target: string;
  readonly pulledAt: string;
}

/** The name of an image in full, as container engines write it: `docker.io/library/busybox:latest`. */
export function fullName({ registry, repository, reference, isDigest }: ImageReference): string {
  return `${repositoryName({ registry, repository })}${isDigest ? '@' : ':'}${reference}`;
}

export function repositoryName({ registry, repository }: Pick<ImageReference, 'registry' | 'repository'>): string {
  return `${registry === 'index.docker.io' ? 'docker.io' : registry}/${repository}`;
}

/** Checks that manifest and configuration belong together. */
export function imageRecord(digest: string, manifest: ImageManifest, document: ImageDocument): ImageRecord {
  const { layers } = manifest;
  const { diffIds, os, architecture, variant, created } = document;
  if (layers.length !== diffIds.length)
    throw new StoreError(
      'INVALID_IMAGE',
      `the manifest names ${layers.length} layers, and the configuration of the image ${diffIds.length}`,
    );
  return {
    digest,
    config: manifest.config,
    layers: layers.map((layer, index) => ({ ...layer, diffId: diffIds[index] as string })),
    platform: [os, architecture, variant].filter((part) => part !== '').join('/'),
    created,
  };
}

/** The bytes of an image's blobs; a blob that it has twice counts once. */
export function sizeOf({ config, layers }: ImageRecord): number {
  const sizes = new Map([config, ...layers].map(({ digest, size }) => [digest, size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** Parses the configuration of an image in the form of its record. */
export function readDocument(body: Uint8Array): ImageDocument {
  return parseImageDocument(Buffer.from(body).toString('utf8'));
}

/** The unpacked layers, uppermost first. One that occurs twice counts where it is uppermost: overlayfs takes no folder twice. */
export function overlayOrder(layers: readonly StoredLayer[]): readonly string[] {
  return [...new Set(layers.map(({ diffId }) => diffId).toReversed())];
}
