import { readFile } from 'node:fs/promises';
import type { WaitOptions } from '@tektite/manifest';
import { parseYaml } from '@tektite/schema/yaml';
import { explainFileError, UserError } from '../user-error.ts';

/** The rules of a `--health` file, or none. */
export async function readHealth(path: string | undefined): Promise<Pick<WaitOptions, 'rules'>> {
  if (path === undefined) return {};
  try {
    const text = await readFile(path, 'utf8');
    const { healthRules, readHealthChecks } = await import('@tektite/manifest/health');
    return { rules: healthRules(parseYaml(text).flatMap(({ value }) => readHealthChecks(value))) };
  } catch (error) {
    throw new UserError(`--health: ${explainFileError(error, path) ?? `${path}: ${(error as Error).message}`}`, 2);
  }
}
