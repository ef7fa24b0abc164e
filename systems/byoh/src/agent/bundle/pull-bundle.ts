import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ImageLayout, type Layer, parseImageReference, RegistryClient, unpackLayer } from '@tektite/oci';

/** Bundles have packages in them; this is more than any of them. */
const maxLayerBytes = 4 * 1024 * 1024 * 1024;

interface BlobSource {
  saveBlob(digest: string, file: string, maxBytes: number): Promise<void>;
}

/**
 * Brings the files of a bundle into a folder that does not exist yet: out of a registry, of an image layout
 * (`oci-layout:/path/name:tag`, where `/path` is the layout) or of a plain folder (`dir:/path/name:tag`, which may also be
 * called `/path/name/tag` or just `/path`). The folder is there as a whole or not at all.
 */
export async function pullBundle(address: string, folder: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}.part-`);
  try {
    const files = join(temporary, 'files');
    await mkdir(files);
    await fetchFiles(address, files, temporary, signal);
    await rm(folder, { recursive: true, force: true });
    await cp(files, folder, { recursive: true });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function fetchFiles(address: string, files: string, temporary: string, signal: AbortSignal): Promise<void> {
  if (address.startsWith('dir:')) {
    await cp(await findFolder(address.slice('dir:'.length)), files, { recursive: true });
    return;
  }
  if (address.startsWith('oci-layout:')) {
    const path = address.slice('oci-layout:'.length);
    const layout = new ImageLayout(dirname(path));
    await unpackAll((await layout.manifest(path.slice(dirname(path).length + 1))).layers, layout, files, temporary);
    return;
  }
  const registry = new RegistryClient(parseImageReference(address), undefined, signal);
  await unpackAll((await registry.manifest()).layers, registry, files, temporary);
}

async function unpackAll(
  layers: readonly Layer[],
  source: BlobSource,
  files: string,
  temporary: string,
): Promise<void> {
  if (layers.length === 0) throw new Error('the bundle has no layers');
  for (const { digest } of layers) {
    const blob = join(temporary, 'layer');
    await source.saveBlob(digest, blob, maxLayerBytes);
    await unpackLayer(blob, files, maxLayerBytes);
  }
}

async function findFolder(path: string): Promise<string> {
  const colon = path.lastIndexOf(':');
  const [plain, tag] = colon > path.lastIndexOf('/') ? [path.slice(0, colon), path.slice(colon + 1)] : [path, ''];
  for (const candidate of [path, join(plain, tag), dirname(plain)]) {
    const entries = await readdir(candidate).catch(() => []);
    if (entries.some((name) => name.endsWith('.deb') || name.endsWith('.tar'))) return candidate;
  }
  throw new Error(`there is no bundle in ${path}, ${join(plain, tag)} or ${dirname(plain)}`);
}
