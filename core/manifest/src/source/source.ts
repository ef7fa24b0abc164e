import { stat } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { type Clock, type DynamicObject, systemClock } from '@tektite/meta';
import { Manifest } from '../manifest.ts';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, identityText } from '../object-identity.ts';
import { formatOrigin, type ManifestItem } from '../origin.ts';
import { type HelmChart, isHelmFolder, renderHelm } from './helm.ts';
import { isKustomizeFolder, renderKustomize } from './kustomize.ts';
import { parseObjects, takeObjects } from './parse-objects.ts';
import { type ProgramRunner, systemPrograms } from './program.ts';
import { readPath, sourceError } from './read-path.ts';
import { readUrl, shownUrl, type UrlCache } from './read-url.ts';

/** Where objects come from. */
export type Source =
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly recursive?: boolean;
      readonly extensions?: readonly string[];
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly sha256?: string;
      readonly timeoutMs?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly maxBytes?: number;
    }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'text'; readonly text: string; readonly name?: string }
  | { readonly kind: 'objects'; readonly objects: readonly DynamicObject[] }
  | { readonly kind: 'kustomize'; readonly dir: string; readonly allowRemote?: boolean }
  | ({ readonly kind: 'helm' } & HelmChart);

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** The same object twice is an error. Default false: a warning, and the last one counts. */
  readonly strict?: boolean;
  readonly onWarning?: (text: string) => void;
  readonly programs?: ProgramRunner;
  readonly clock?: Clock;
  readonly cache?: UrlCache;
}

/**
 * Reads sources, one after the other, into one manifest. All or nothing: any error names its place.
 *
 * @example const manifest = await loadManifest([{ kind: 'path', path: 'deploy/' }, { kind: 'url', url:
 * 'https://example.com/crds.yaml' }]);
 */
export async function loadManifest(sources: Source | readonly Source[], options: LoadOptions = {}): Promise<Manifest> {
  const items: ManifestItem[] = [];
  for (const source of Array.isArray(sources) ? (sources as readonly Source[]) : [sources as Source])
    for await (const some of readSource(source, options)) for (const item of some) items.push(item);
  reportDuplicates(items, options);
  return new Manifest(items);
}

/**
 * The source of a word on a command line: `-` is standard input, `https://…` a URL; a folder with a kustomization or a
 * chart in it is that; all else is a file or a folder.
 */
export async function sourceOf(
  word: string,
  helm: Pick<HelmChart, 'releaseName' | 'namespace'> & Partial<HelmChart>,
): Promise<Source> {
  if (word === '') throw sourceError('""', 'this names no source');
  if (word === '-') return { kind: 'stdin' };
  const found = await stat(word).catch(() => undefined);
  if (!found && /^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return { kind: 'url', url: word };
  if (found?.isDirectory() && (await isKustomizeFolder(word))) return { kind: 'kustomize', dir: word };
  if (found?.isDirectory() && (await isHelmFolder(word))) return { kind: 'helm', ...helm, chart: word };
  return { kind: 'path', path: word };
}

async function* readSource(source: Source, options: LoadOptions): AsyncGenerator<ManifestItem[]> {
  const { signal, programs = systemPrograms, clock = systemClock, cache } = options;
  const call = signal ? { signal } : {};
  switch (source.kind) {
    case 'path':
      for await (const { name, text } of readPath(source.path, { ...source, ...call })) yield parseObjects(text, name);
      return;
    case 'url': {
      const text = await readUrl(source.url, { ...source, ...call, clock, ...(cache ? { cache } : {}) });
      yield parseObjects(text, shownUrl(new URL(source.url)));
      return;
    }
    case 'stdin':
      yield parseObjects(await readStream(process.stdin), 'standard input');
      return;
    case 'text':
      yield parseObjects(source.text, source.name ?? 'text');
      return;
    case 'objects':
      yield takeObjects(source.objects, 'objects');
      return;
    case 'kustomize':
      yield await renderKustomize(source.dir, { ...source, ...call, programs });
      return;
    case 'helm':
      yield await renderHelm(source, { ...call, programs });
  }
}

function reportDuplicates(items: readonly ManifestItem[], { strict, onWarning }: LoadOptions): void {
  const first = new Map<string, ManifestItem>();
  for (const item of items) {
    if (!item.object.metadata.name) continue;
    const key = identityText(item.object);
    const before = first.get(key);
    if (!before) {
      first.set(key, item);
      continue;
    }
    const text = `${formatOrigin(item.origin)}: ${describeObject(item.object)} was there before, at ${formatOrigin(before.origin)}`;
    if (strict) throw new ManifestError('DUPLICATE', text, { place: item.origin });
    onWarning?.(`${text}; the last one counts`);
  }
}
