import { stringifyJson } from '@tektite/meta';
import type { DynamicObject } from '@tektite/meta';
import { parseYaml, isYamlError } from '@tektite/schema/yaml';
import { formatPlace, ManifestError, type TextPlace } from '../manifest-error.ts';
import { groupKindOf } from '../object-identity.ts';
import type { ManifestItem, Origin } from '../origin.ts';

export interface ParseOptions {
  /** Duplicate keys of a mapping are errors. Default true. */
  readonly strictKeys?: boolean;
}

/**
 * Reads YAML or JSON as objects. Empty documents are skipped, Lists are replaced by what they hold. Throws a ManifestError with
 * source, line and column.
 *
 * @example
 * parseObjects('kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}', 'a.yaml')[0].origin // { source: 'a.yaml', index: 0, line: 1 }
 */
export function parseObjects(text: string, source: string, options: ParseOptions = {}): ManifestItem[] {
  const items: ManifestItem[] = [];
  readDocuments(text, source).forEach((document, index) => {
    if (document.value === null || document.value === undefined) return;
    const place = { source, document: index, line: document.line };
    const [twice] = (options.strictKeys ?? true) ? document.duplicateKeys : [];
    if (twice) throw parseError(`yaml: key ${twice.key} already set in map`, { ...place, line: twice.line });
    for (const object of objectsOf(document.value, place))
      items.push({ object, origin: { source, index, line: document.line } });
  });
  return items;
}

/** Checks objects that no text was parsed for. */
export function takeObjects(objects: readonly unknown[], source: string): ManifestItem[] {
  return objects.flatMap((value, index) => {
    const origin: Origin = { source, index };
    return objectsOf(value, { source, document: index }).map((object) => ({ object, origin }));
  });
}

function readDocuments(text: string, source: string) {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!isYamlError(error)) throw error;
    const { line, column } = error;
    throw parseError(line === undefined ? error.message : error.problem, {
      source,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    });
  }
}

function parseError(message: string, place: TextPlace): ManifestError {
  return new ManifestError('PARSE', `${formatPlace(place)}: ${message}`, { place });
}

/** How deep Lists may hold Lists. */
const maxListDepth = 8;

function objectsOf(value: unknown, place: TextPlace, depth = 0): DynamicObject[] {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<DynamicObject>;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw parseError('this is no Kubernetes object, which is a mapping with apiVersion and kind', place);
  if (typeof apiVersion !== 'string' || apiVersion === '' || typeof kind !== 'string' || kind === '') {
    const missing = [
      ...(typeof apiVersion === 'string' && apiVersion ? [] : ['apiVersion']),
      ...(typeof kind === 'string' && kind ? [] : ['kind']),
    ];
    throw parseError(`this is no Kubernetes object: it has no ${missing.join(' and no ')}`, place);
  }
  const { items } = value as { items?: unknown };
  if (kind.endsWith('List') && Array.isArray(items)) {
    if (depth >= maxListDepth) throw parseError('Lists in Lists in Lists have no end', place);
    // Items of typed lists, as `PodList`, do not say what they are.
    const known = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    return items.flatMap((item: unknown) =>
      objectsOf(isMapping(item) ? { ...known, ...item } : item, place, depth + 1),
    );
  }
  if (metadata !== undefined && !isMapping(metadata))
    throw parseError(`metadata of the ${groupKindOf({ apiVersion, kind })} is no mapping`, place);
  for (const field of ['name', 'namespace', 'generateName'] as const) {
    const text: unknown = metadata?.[field];
    if (text === undefined || text === null || typeof text === 'string') continue;
    throw parseError(`metadata.${field} has to be a text, not ${stringifyJson(text)}: quote it`, place);
  }
  return [(metadata === undefined ? { ...value, metadata: {} } : value) as DynamicObject];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
