import { type ReadText, readTexts } from '@tektite/manifest';
import type { KubeObject } from '@tektite/meta';
import { parseYaml, type YamlDocument, isYamlError } from '@tektite/schema/yaml';
import { badInput } from './bad-input.ts';

/** Leads to a field of an object. */
export type FieldPath = readonly (string | number)[];

/** An object of a file, and where it stands. */
export interface SourceDocument {
  readonly object: KubeObject;
  /** `pipeline.yaml:12`. */
  readonly place: string;
  /** The place of a field of it: `pipeline.yaml:15`. */
  at(path: FieldPath): string;
}

/**
 * Reads the objects of files, folders and URLs; `-` is standard input. Errors name file, line and column. `edit` may change texts
 * before they are parsed.
 */
export async function readDocuments(
  words: readonly string[],
  edit: (text: ReadText) => Promise<string> = async ({ text }) => text,
): Promise<readonly SourceDocument[]> {
  const documents: SourceDocument[] = [];
  for (const word of words)
    for await (const read of readTexts(word))
      documents.push(...parseDocuments({ name: read.name, text: await edit(read) }));
  if (documents.length === 0) throw badInput(`${words.join(', ')}: there is no document in it`);
  return documents;
}

/** The objects of one text. */
export function parseDocuments({ name, text }: ReadText): readonly SourceDocument[] {
  try {
    return parseYaml(text)
      .filter(({ value }) => value !== null && value !== undefined)
      .flatMap((document) => objectsOf(document.value, document, name, []));
  } catch (error) {
    if (!isYamlError(error)) throw error;
    const place = [name, error.line, error.column].filter((part) => part !== undefined).join(':');
    throw badInput(`${place}: ${error.problem}`);
  }
}

/** The object itself, or the items of a List. */
function objectsOf(value: unknown, document: YamlDocument, name: string, path: FieldPath): readonly SourceDocument[] {
  const at = (more: FieldPath) => `${name}:${document.positionOf([...path, ...more]).line}`;
  const place = path.length === 0 ? `${name}:${document.line}` : at([]);
  const { kind, items } = (value ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  if (kind === 'List' && Array.isArray(items))
    return items.flatMap((item, index) => objectsOf(item, document, name, [...path, 'items', index]));
  return [{ object: readObject(value, place, at), place, at }];
}

function readObject(value: unknown, place: string, at: SourceDocument['at']): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw badInput(`${place}: this is no Kubernetes object: it needs apiVersion and kind`);
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null))
    throw badInput(`${at(['metadata'])}: metadata of the ${kind} has to be a mapping`);
  return { ...(value as KubeObject), metadata: metadata ?? {} };
}
