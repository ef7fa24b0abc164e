import {
  bySelector,
  injectNamespace,
  isManifestError,
  loadManifest,
  type Manifest,
  replaceImages,
  rewriteImages,
  setLabels,
  sourceOf,
  type Transform,
} from '@tektite/manifest';
import { isSelectorError } from '@tektite/meta';
import { UserError } from '../user-error.ts';

/** Options of all commands that read manifests. */
export interface ManifestOptions {
  readonly file: readonly string[];
  readonly namespace: string;
  readonly selector?: string;
  readonly intoNamespace?: string;
  readonly registry?: string;
  readonly image: readonly string[];
  readonly label: readonly string[];
  readonly release?: string;
  readonly strict?: boolean;
}

/** The manifest that the user means: sources, chosen and changed as the options say. */
export async function readManifest(options: ManifestOptions, note: (text: string) => void): Promise<Manifest> {
  return explained(async () => {
    const helm = { releaseName: options.release ?? 'release', namespace: options.namespace, chart: '' };
    const sources = [];
    for (const word of options.file) sources.push(await sourceOf(word, helm));
    const all = await loadManifest(sources, { onWarning: note, ...(options.strict ? { strict: true } : {}) });
    const chosen = options.selector === undefined ? all : all.filter(bySelector(options.selector));
    if (chosen.size === 0) throw new UserError(`${options.file.join(', ')}: there is no object in it`, 2);
    return chosen.transform(...transformsOf(options));
  });
}

function transformsOf({ intoNamespace, registry, image, label }: ManifestOptions): readonly (Transform | undefined)[] {
  return [
    intoNamespace === undefined ? undefined : injectNamespace(intoNamespace),
    image.length > 0 ? replaceImages(pairsOf('--image', image)) : undefined,
    registry === undefined ? undefined : rewriteImages(registry),
    label.length > 0 ? setLabels(pairsOf('--label', label)) : undefined,
  ];
}

function pairsOf(option: string, words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at <= 0) throw new UserError(`${option} is NAME=VALUE, not ${JSON.stringify(word)}`, 2);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/** Errors of the input are reported in one sentence, with exit code 2. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isManifestError(error) || isSelectorError(error)) throw new UserError(error.message, 2);
    throw error;
  }
}
