import { stringifyJson } from '@tektite/meta';
import { readFile } from 'node:fs/promises';
import { formatYaml } from '@tektite/schema/yaml';
import { explainFileError, UserError } from './user-error.ts';

export interface ManifestOutput {
  /** `yaml` or `json`. */
  readonly output: string;
  /** A file that has to have just this, instead of printing it. */
  readonly check?: string;
  /** The command that writes it, for who has to do that again. */
  readonly command: string;
}

/** Prints objects, or says whether a file still has them. */
export async function putOut(objects: readonly object[], { output, check, command }: ManifestOutput): Promise<void> {
  const text = print(objects, output);
  if (check === undefined) {
    process.stdout.write(text);
    return;
  }
  const found = await readFile(check, 'utf8').catch((error: unknown) => {
    throw new UserError(`--check: ${explainFileError(error, check) ?? (error as Error).message}`);
  });
  if (found !== text) throw new UserError(`${check} is out of date; update it with: ${command} > ${check}`);
  process.stdout.write(`${check} is up to date\n`);
}

function print(objects: readonly object[], output: string): string {
  if (output === 'json') return `${stringifyJson({ apiVersion: 'v1', kind: 'List', items: objects }, 2)}\n`;
  if (output !== 'yaml') throw new UserError(`-o must be yaml or json, not ${JSON.stringify(output)}`);
  return objects.map((each) => `---\n${formatYaml(each)}`).join('');
}
