import { readFile } from 'node:fs/promises';
import { definitionsOf } from '@tektite/controller';
import { formatYaml } from '@tektite/schema/yaml';
import { loadSystems } from '../systems/load-systems.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface CrdsOptions {
  readonly systems: string;
  readonly output: string;
  readonly check?: string;
}

/** `tektite crds`: prints the definitions of the systems' kinds, or says whether a file still has them. */
export async function crds(options: CrdsOptions): Promise<void> {
  const systems = await loadSystems(options.systems);
  const definitions = systems.flatMap(({ kinds }) => definitionsOf(kinds));
  const text = print(definitions, options.output);
  if (options.check === undefined) {
    process.stdout.write(text);
    return;
  }
  const found = await readFile(options.check, 'utf8').catch((error: unknown) => {
    throw new UserError(`--check: ${explainFileError(error, options.check ?? '') ?? (error as Error).message}`);
  });
  if (found !== text) {
    const again = `tektite crds --systems ${options.systems} > ${options.check}`;
    throw new UserError(`${options.check} is not what the kinds say; write it anew with: ${again}`);
  }
  process.stdout.write(`${options.check} is up to date\n`);
}

function print(definitions: readonly object[], output: string): string {
  if (output === 'json')
    return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: definitions }, undefined, 2)}\n`;
  if (output !== 'yaml') throw new UserError(`-o must be yaml or json, not ${JSON.stringify(output)}`);
  return definitions.map((definition) => `---\n${formatYaml(definition)}`).join('');
}
