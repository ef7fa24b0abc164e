import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ImageMapping, MappedImage } from '@tektite/node';
import { parseYaml, isYamlError } from '@tektite/schema/yaml';
import { explainFileError, UserError } from '../user-error.ts';

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isTextMap = (value: unknown) => isMapping(value) && Object.values(value).every(isText);

/** The checks of the fields of an image. */
const fields: Readonly<Record<keyof MappedImage, readonly [is: (value: unknown) => boolean, what: string]>> = {
  root: [isText, 'a folder'],
  shell: [isText, 'a program of this machine'],
  entrypoint: [isTexts, 'a list of words'],
  cmd: [isTexts, 'a list of words'],
  env: [isTextMap, 'a mapping of names to texts'],
  user: [isText, 'UID or UID:GID, as text'],
  workdir: [isText, 'a folder'],
};

/**
 * Reads what stands for images on this machine. Folders are relative to the file.
 *
 * @example
 * ghcr.io/acme/web:      # any tag; with one, that tag only
 *   root: ./roots/web    # instead of the machine's own file system
 *   entrypoint: [/bin/web, --port=8080]
 */
export async function readImages(file: string): Promise<ImageMapping> {
  const wrong = (what: string) => new UserError(`--images: ${file}: ${what}`);
  let value: unknown;
  try {
    value = parseYaml(await readFile(file, 'utf8'))[0]?.value ?? {};
  } catch (error) {
    if (isYamlError(error)) throw wrong(`${error.line ?? 1}: ${error.message}`);
    throw new UserError(`--images: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
  if (!isMapping(value)) throw wrong('it has to be a mapping of image names');
  const images: Record<string, MappedImage> = Object.create(null) as Record<string, MappedImage>;
  for (const [image, mapped] of Object.entries(value)) images[image] = readImage(image, mapped, file, wrong);
  return images;
}

function readImage(image: string, mapped: unknown, file: string, wrong: (what: string) => UserError): MappedImage {
  if (!isMapping(mapped)) throw wrong(`${image}: it has to be a mapping with ${Object.keys(fields).join(', ')}`);
  for (const [field, value] of Object.entries(mapped)) {
    if (!Object.hasOwn(fields, field))
      throw wrong(`${image}: there is no field ${JSON.stringify(field)}, only ${Object.keys(fields).join(', ')}`);
    const [is, what] = fields[field as keyof MappedImage];
    if (!is(value)) throw wrong(`${image}.${field}: it has to be ${what}`);
  }
  const { root, ...others } = mapped as MappedImage;
  return { ...others, ...(root === undefined ? {} : { root: resolve(dirname(file), root) }) };
}
