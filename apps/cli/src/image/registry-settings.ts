import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RegistrySettings } from '@tektite/oci';
import { UserError } from '../user-error.ts';

/** The file that is read unless another one is given: `~/.config/tektite/registries.json`. It need not exist. */
export function registriesFile(): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'tektite', 'registries.json');
}

/**
 * Reads `{ "mirrors": { "docker.io": ["https://mirror.example"] }, "insecure": ["registry.example:5000"] }`. $TEKTITE_OFFLINE, unless it
 * is empty or 0, forbids to ask registries of other machines.
 */
export async function readRegistrySettings(given: string | undefined): Promise<RegistrySettings> {
  const file = given ?? registriesFile();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && given === undefined) return '{}';
    throw error;
  });
  const { mirrors = {}, insecure = [], ...rest } = parse(file, text);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new UserError(`${file}: unknown field ${JSON.stringify(unknown)}; there are mirrors and insecure`, 2);
  if (!isTexts(insecure)) throw new UserError(`${file}: insecure must be a list of registries`, 2);
  if (!isObject(mirrors) || !Object.values(mirrors).every(isTexts))
    throw new UserError(`${file}: mirrors must be lists of URLs by the name of a registry`, 2);
  const wrong = Object.values(mirrors as Record<string, readonly string[]>)
    .flat()
    .find((mirror) => !/^https?:\/\/[^/]+\/?$/.test(mirror));
  if (wrong !== undefined)
    throw new UserError(`${file}: the mirror ${JSON.stringify(wrong)} must be as https://mirror.example`, 2);
  const offline = !['', '0'].includes(process.env['TEKTITE_OFFLINE'] ?? '');
  return { mirrors: mirrors as Record<string, readonly string[]>, insecure, ...(offline ? { offline } : {}) };
}

function parse(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UserError(`${file} must be a JSON object with mirrors and insecure`, 2);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
