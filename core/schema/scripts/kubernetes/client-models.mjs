import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Reads the models inside @kubernetes/client-node: for each its description and its attributes, each with JSON name, type,
 * format, whether it is optional, and a description. The compiled JavaScript has names and types, the declaration file
 * has the rest.
 */
export async function readClientModels() {
  const directory = join(
    dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node/package.json')),
    'dist/gen/models',
  );
  const models = new Map();
  for (const file of readdirSync(directory)) {
    const name = file.slice(0, -'.js'.length);
    if (!file.endsWith('.js') || !/V\d/.test(name)) continue;
    const model = (await import(pathToFileURL(join(directory, file)).href))[name];
    const declaration = readDeclaration(readFileSync(join(directory, `${name}.d.ts`), 'utf8'));
    const attributes = model.attributeTypeMap.map((attribute) => ({
      name: attribute.baseName,
      type: attribute.type,
      format: attribute.format,
      ...declaration.attributes.get(attribute.name),
    }));
    models.set(name, { name, description: declaration.description, attributes });
  }
  return models;
}

const attributePattern = /(?:\/\*\*\n((?:[ ]+\*(?!\/).*\n)*)[ ]+\*\/\n)?[ ]{4}'([^']+)'(\??): /g;
const classPattern = /\/\*\*\n((?:\*(?!\/).*\n)*)\*\/\nexport declare class/;

function readDeclaration(text) {
  const attributes = new Map();
  for (const [, comment, name, mark] of text.matchAll(attributePattern))
    attributes.set(name, { optional: mark === '?', description: commentText(comment) });
  return { description: commentText(classPattern.exec(text)?.[1]), attributes };
}

function commentText(comment = '') {
  const text = comment
    .replace(/^\s*\* ?/gm, '')
    .trim()
    .replace(/\\(['"])/g, '$1')
    .replaceAll('*_/', '*/');
  return restoreBreaks(text);
}

/**
 * The models have a space for each line break. Two spaces may have been an empty line or just two spaces; these words
 * begin a paragraph wherever they follow them.
 */
const paragraphs =
  / {2}(?=Populated by|Must be a DNS_LABEL|If this field is specified and|Applied only if|Deprecated:|DEPRECATED|Defaults to|Examples?:|The server guarantees|This field is not supported|When `|Each key|The exact format|This is an? (?:alpha|beta) |Note that this field|Instead of|The kubelet will|Required when|Selector (?:can|format)|Once the)/g;

export function restoreBreaks(text) {
  return text
    .replace(paragraphs, '\n\n')
    .replace(/(?<=\S) {3}(?=\S)/g, '\n  ')
    .replace(/(?<=\.) (?=- `)/g, '\n');
}
