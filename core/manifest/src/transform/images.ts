import { childOf, fieldPath, isMapping, listAt } from '../field-value.ts';
import type { DraftObject, Transform } from '../manifest.ts';
import { podSpecsOf } from './set-metadata.ts';

/** An object's own list of further fields with images, separated by commas: `data.helper-image`. */
const imagePathsAnnotation = 'cpaas.io/image-paths';

/** Characters of references as registries know them; names may have upper case in hosts. */
const reference = /^[\w.-]+(?::\d+)?(?:\/[\w.-]+)*(?::[\w][\w.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9a-f]{32,})?$/i;

export interface RewriteImagesOptions {
  /** Annotation that names further fields with images. */
  readonly pathsAnnotation?: string;
}

/**
 * Takes all images from one registry, `host[:port][/prefix]`: the host of a reference is replaced, its path, tag and
 * digest stay. References that are already there, are empty or contain variables are not changed.
 *
 * @example manifest.transform(rewriteImages('registry.example.com/mirror'))
 */
export function rewriteImages(registry: string, options: RewriteImagesOptions = {}): Transform {
  const prefix = registry.replace(/\/+$/, '');
  if (!reference.test(prefix)) throw new Error(`${JSON.stringify(registry)} is no registry: host[:port][/prefix]`);
  return function rewriteImages(draft) {
    changeImages(draft, options.pathsAnnotation ?? imagePathsAnnotation, (image, where) =>
      inRegistry(image, prefix, where),
    );
  };
}

/** Replaces images by name: `{ 'ghcr.io/acme/web': 'registry.local/web:2' }`. The new one counts whole; the tag of the old does not matter. */
export function replaceImages(images: Readonly<Record<string, string>>): Transform {
  const table = new Map(Object.entries(images));
  return function replaceImages(draft) {
    changeImages(draft, imagePathsAnnotation, (image) => table.get(image) ?? table.get(nameOf(image)) ?? image);
  };
}

/** Every image of an object's Pods. */
export function imagesOf(draft: DraftObject): readonly string[] {
  const found: string[] = [];
  changeImages(draft, '', (image) => {
    found.push(image);
    return image;
  });
  return found;
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'];

function changeImages(draft: DraftObject, annotation: string, change: (image: string, where: string) => string): void {
  for (const spec of podSpecsOf(draft)) {
    for (const list of lists) {
      for (const container of listAt(spec, list)) {
        if (!isMapping(container) || typeof container.image !== 'string') continue;
        container.image = change(container.image, `container ${String(container.name)}`);
      }
    }
  }
  const paths = annotation === '' ? undefined : draft.metadata.annotations?.[annotation];
  for (const path of paths?.split(',') ?? []) if (path.trim()) changeAt(draft, path.trim(), change);
}

function changeAt(draft: DraftObject, path: string, change: (image: string, where: string) => string): void {
  const steps = fieldPath(path);
  const last = steps.at(-1);
  const parent = steps.slice(0, -1).reduce<unknown>((value, step) => childOf(value, step), draft);
  const image = last === undefined ? undefined : childOf(parent, last);
  if (last === undefined || typeof image !== 'string') return;
  (parent as Record<string | number, unknown>)[last] = change(image, path);
}

function inRegistry(image: string, prefix: string, where: string): string {
  if (image === '' || /\$\(|\$\{|\{\{/.test(image) || image.startsWith(`${prefix}/`)) return image;
  if (!reference.test(image))
    throw new Error(`InvalidImage: ${JSON.stringify(image)} of ${where} is no image reference`);
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost';
  return `${prefix}/${isHost ? image.slice(slash + 1) : image}`;
}

/** Without tag and digest. */
function nameOf(image: string): string {
  const plain = image.split('@', 1)[0] as string;
  const colon = plain.lastIndexOf(':');
  return colon > plain.lastIndexOf('/') ? plain.slice(0, colon) : plain;
}
