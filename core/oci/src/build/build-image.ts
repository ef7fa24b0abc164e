import type { Platform } from '../platform.ts';
import { type BuiltLayer, digestOf } from './build-layer.ts';
import { mediaTypes } from './media-types.ts';

/** How containers of an image start, in the words of the specification. */
export interface ContainerConfig {
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface ImageBuild {
  readonly platforms: readonly {
    readonly platform: Platform;
    /** The lowest first. */
    readonly layers: readonly BuiltLayer[];
    /** Documents about the image, which refer to it: a bill of materials. */
    readonly attachments?: readonly Attachment[];
  }[];
  readonly config: ContainerConfig;
  /** When it was made, RFC 3339: that of the sources, so that two builds are the same. */
  readonly created: string;
  /** Of the index and of each image. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Attachment {
  readonly artifactType: string;
  readonly content: Uint8Array;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** An image for several platforms, with all its content. */
export interface BuiltImage {
  /** Of the index. */
  readonly index: Descriptor;
  /** By digest, in the order in which a registry accepts them. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Tools that choose an image by its platform pass by what has none. */
const noPlatform: Platform = { os: 'unknown', architecture: 'unknown' };

/**
 * Makes an image for several platforms: configurations, manifests, the index. What is attached to an image is in the index too, so that
 * it goes wherever the index is copied.
 */
export function buildImage(build: ImageBuild): BuiltImage {
  const blobs = new Map<string, Uint8Array>();
  const put = (mediaType: string, content: Uint8Array): Descriptor => {
    const digest = digestOf(content);
    blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  };
  const putJson = (mediaType: string, value: object) => put(mediaType, Buffer.from(JSON.stringify(value)));
  const annotations = build.annotations ? { annotations: build.annotations } : {};
  const attach = (subject: Descriptor, { artifactType, content }: Attachment) => ({
    ...putJson(mediaTypes.manifest, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      artifactType,
      config: put(mediaTypes.empty, Buffer.from('{}')),
      layers: [put(artifactType, content)],
      subject,
    }),
    artifactType,
    platform: noPlatform,
  });
  const images = build.platforms.map(({ platform, layers, attachments = [] }) => {
    const config = putJson(mediaTypes.config, {
      created: build.created,
      ...platform,
      config: build.config,
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(() => ({ created: build.created })),
    });
    const image = putJson(mediaTypes.manifest, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config,
      layers: layers.map(({ mediaType, content }) => put(mediaType, content)),
      ...annotations,
    });
    return { image: { ...image, platform }, attached: attachments.map((each) => attach(image, each)) };
  });
  const manifests = [...images.map(({ image }) => image), ...images.flatMap(({ attached }) => attached)];
  const index = putJson(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests, ...annotations });
  return { index, blobs };
}
