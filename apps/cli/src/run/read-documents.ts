import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { KubeObject } from '@tektite/meta';
import { parseYaml, YamlError } from '@tektite/schema/yaml';
import { explainFileError } from '../user-error.ts';
import { badInput } from './bad-input.ts';

/** A document of a file, and where it stands. */
export interface SourceDocument {
  readonly object: KubeObject;
  /** `pipeline.yaml:12`. */
  readonly place: string;
}

/** Reads the documents of YAML or JSON files and URLs; `-` is standard input. Mistakes are told with file, line and column. */
export async function readDocuments(files: readonly string[]): Promise<readonly SourceDocument[]> {
  const documents: SourceDocument[] = [];
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    const content = file === '-' ? await text(process.stdin) : await (isUrl(file) ? fetched(file) : readText(file));
    documents.push(...parseText(name, content));
  }
  if (documents.length === 0) throw badInput(`${files.join(', ')}: there is no document in it`);
  return documents;
}

function isUrl(file: string): boolean {
  return /^https?:\/\//i.test(file);
}

/** The HTTP client is loaded for those who need it: most name a file. */
async function fetched(url: string): Promise<string> {
  const { fetchText } = await import('./fetch-text.ts');
  return fetchText(url);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw badInput(`-f: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}

function parseText(name: string, content: string): readonly SourceDocument[] {
  try {
    return parseYaml(content)
      .filter(({ value }) => value !== null && value !== undefined)
      .map(({ value, line }) => ({ object: readObject(value, `${name}:${line}`), place: `${name}:${line}` }));
  } catch (error) {
    if (error instanceof YamlError)
      throw badInput(
        `${[name, error.line, error.column].filter((part) => part !== undefined).join(':')}: ${error.message}`,
      );
    throw error;
  }
}

function readObject(value: unknown, place: string): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw badInput(`${place}: this is no Kubernetes object: it needs apiVersion and kind`);
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null))
    throw badInput(`${place}: metadata has to be a mapping`);
  return { ...(value as KubeObject), metadata: metadata ?? {} };
}
