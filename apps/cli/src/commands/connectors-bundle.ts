import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeObject, identityText, imagesOf } from '@tektite/manifest';
import { cloneJson } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import { readManifest } from '../manifest/read-manifest.ts';
import { checkComponent } from '../scaffold/component-name.ts';
import { writeFiles } from '../scaffold/write-files.ts';
import { UserError } from '../user-error.ts';

export interface BundleOptions {
  readonly file: readonly string[];
  readonly release: string;
  readonly payload: string;
}

/** `tektite connectors bundle`: what is there of the component is replaced. */
export async function bundlePayload(name: string, { file, release, payload }: BundleOptions): Promise<void> {
  const component = checkComponent(name);
  if (file.length === 0) throw new UserError('-f: name a file, a folder or a URL');
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  const { objects } = await readManifest({ file, namespace: 'default', image: [], label: [] }, note);
  const seen = new Set<string>();
  for (const object of objects) {
    if (!object.metadata.name)
      throw new UserError(`a ${object.kind} has no name; the operator could not find it again`);
    if (seen.has(identityText(object))) throw new UserError(`${describeObject(object)} is there twice`);
    seen.add(identityText(object));
  }
  const text = objects.map((object) => `---\n${formatYaml(object)}`).join('');
  const about = {
    component,
    version: release,
    sha256: createHash('sha256').update(text).digest('hex'),
    images: [...new Set(objects.flatMap((object) => imagesOf(cloneJson(object))))].sort(),
    objects: objects.map(describeObject),
  };
  const folder = join(resolve(payload), component);
  await rm(folder, { recursive: true, force: true });
  const files = new Map([
    ['manifest.yaml', text],
    ['VERSION', `${release}\n`],
    ['CONTENTS', `${JSON.stringify(about, undefined, 2)}\n`],
  ]);
  await writeFiles(folder, files, { overwrite: true, option: '--payload' });
}
