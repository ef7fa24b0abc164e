import { fitsPlatform, type Platform, platformText } from '../platform.ts';
import { checkedDigest, objectsIn } from '../registry-client.ts';
import { StoreError } from '../store-error.ts';

/** The place and size of content, as manifests write it. */
export interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
}

/** The manifest of an image for one platform. */
export interface ImageManifest {
  readonly config: Descriptor;
  /** Lowest first. */
  readonly layers: readonly Descriptor[];
}

const maxLayers = 500;
export const maxConfigBytes = 8 * 1024 * 1024;
const maxBlobBytes = 64 * 1024 ** 3;

/** The digest of the manifest for a platform, where the document is an index; undefined where it is a manifest. */
export function chooseManifest(document: object, wanted: Platform): string | undefined {
  const { manifests } = document as { readonly manifests?: unknown };
  if (!Array.isArray(manifests)) return undefined;
  const entries = objectsIn<{ digest?: unknown; platform?: Partial<Platform> }>(manifests);
  // An entry without a platform fits where it is the only one.
  const found =
    entries.find(({ platform }) => platform && fitsPlatform(platform, wanted)) ??
    (entries.length === 1 && !entries[0]?.platform ? entries[0] : undefined);
  if (found) return checkedDigest(found.digest);
  const offered = entries.map(({ platform = {} }) => platformText({ os: '?', architecture: '?', ...platform }));
  throw new StoreError(
    'NO_PLATFORM',
    `no match for platform in manifest: there is none for ${platformText(wanted)}, only ${offered.join(', ') || 'nothing'}`,
  );
}

/** Checks that a document is the manifest of an image that can be run. */
export function parseManifest(document: object): ImageManifest {
  const { config, layers } = document as { readonly config?: unknown; readonly layers?: unknown };
  if (!Array.isArray(layers))
    throw new StoreError('INVALID_IMAGE', 'the manifest has no layers: it is not one of an image');
  if (layers.length > maxLayers)
    throw new StoreError('TOO_LARGE', `the image has ${layers.length} layers; ${maxLayers} are possible`);
  return {
    config: parseDescriptor(config, maxConfigBytes),
    layers: layers.map((layer: unknown) => parseDescriptor(layer, maxBlobBytes)),
  };
}

function parseDescriptor(value: unknown, maxBytes: number): Descriptor {
  const [found = {}] = objectsIn<{ digest?: unknown; size?: unknown; mediaType?: unknown }>([value]);
  const { digest, size, mediaType } = found;
  const isSize = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  if (!isSize) throw new StoreError('INVALID_IMAGE', 'the manifest has a descriptor without a size');
  if (size > maxBytes)
    throw new StoreError('TOO_LARGE', `the blob ${String(digest)} has ${size} bytes; ${maxBytes} are allowed`);
  return { digest: checkedDigest(digest), size, mediaType: typeof mediaType === 'string' ? mediaType : '' };
}
