import { gunzipSync } from 'node:zlib';
import type { Layer, Manifest } from '@tektite/oci';

const maxObjects = 20;
/** As much as a layer may be when it is unpacked: no small layer fills the memory. */
const maxBytes = 16 * 1024 * 1024;

const kindKey = 'dev.tekton.image.kind';
const nameKey = 'dev.tekton.image.name';
const versionKey = 'dev.tekton.image.apiVersion';

/** A bundle has few layers, and each says what object it is. */
export function checkBundle({ layers }: Manifest): void {
  if (layers.length > maxObjects) throw new Error(`contained more than the maximum ${maxObjects} allow objects`);
  layers.forEach((layer, index) => {
    const missing = [versionKey, nameKey, kindKey].find((key) => annotation(layer, key) === undefined);
    if (missing !== undefined) throw new Error(`the layer ${index} does not contain a ${missing} annotation`);
    const kind = annotation(layer, kindKey) ?? '';
    if (kind.toLowerCase().replace(/s$/, '') !== kind)
      throw new Error(`the layer ${index} the annotation ${kindKey} must be lowercased and singular, found ${kind}`);
  });
}

function annotation({ annotations = {} }: Layer, key: string): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** The layer of an object. */
export function findEntry({ layers }: Manifest, kind: string, name: string): Layer {
  const wanted = kind.toLowerCase();
  const found = layers.find(
    (layer) => annotation(layer, kindKey)?.toLowerCase() === wanted && annotation(layer, nameKey) === name,
  );
  if (!found) throw new Error(`could not find object in image with kind: ${kind} and name: ${name}`);
  return found;
}

/** The annotations of a request for a layer. */
export function entryAnnotations(layer: Layer): Readonly<Record<string, string>> {
  const entries = [kindKey, nameKey, versionKey].map((key) => [
    `resolution.tekton.dev/${key}`,
    annotation(layer, key) ?? '',
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The first file in a layer, which is an archive, packed or not; or the layer itself, if it is none. */
export function entryContent(blob: Buffer): Buffer {
  const isPacked = blob[0] === 0x1f && blob[1] === 0x8b;
  const content = isPacked ? gunzipSync(blob, { maxOutputLength: maxBytes }) : blob;
  return firstFile(content) ?? content;
}

const blockSize = 512;

/** A tar archive begins with a block that sums up to what it says itself. */
function firstFile(archive: Buffer): Buffer | undefined {
  for (let at = 0; at + blockSize <= archive.length; ) {
    const header = archive.subarray(at, at + blockSize);
    if (!isTarHeader(header)) return undefined;
    const size = octal(header.subarray(124, 136));
    const type = String.fromCharCode(header[156] ?? 0);
    const start = at + blockSize;
    // Other blocks only say more about the file that follows.
    if (type === '0' || type === '\0')
      return size <= archive.length - start ? archive.subarray(start, start + size) : undefined;
    if (type !== 'x' && type !== 'g' && type !== 'L') return undefined;
    at = start + Math.ceil(size / blockSize) * blockSize;
  }
  return undefined;
}

const octal = (field: Buffer) => Number.parseInt(field.toString('latin1').replaceAll(/[\0 ]/g, ''), 8) || 0;

function isTarHeader(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum > 8 * 0x20 && octal(header.subarray(148, 156)) === sum;
}
