import { stat } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { type Clock, systemClock } from '@tektite/meta';
import { readPath, type ReadText, sourceError } from './read-path.ts';
import { readUrl, shownUrl } from './read-url.ts';

/**
 * The texts that a word on a command line stands for: `-` is standard input, `https://…` a URL, all else a file, or a folder whose
 * YAML and JSON files are read in the order of their names. Rejects with a ManifestError.
 *
 * @example
 * for await (const { name, text } of readTexts('./manifests')) parseYaml(text);
 */
export async function* readTexts(word: string, clock: Clock = systemClock): AsyncGenerator<ReadText> {
  if (word === '') throw sourceError('""', 'this names no source');
  if (word === '-') yield { name: 'standard input', text: await readStream(process.stdin) };
  else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) && !(await stat(word).catch(() => undefined)))
    yield { name: shownUrl(new URL(word)), text: await readUrl(word, { clock }) };
  else yield* readPath(word);
}
