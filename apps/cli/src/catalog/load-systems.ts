import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { System } from '@tektite/controller';
import { UserError } from '../user-error.ts';
import { allSystems } from './built-in-systems.ts';
import type { SystemSettings } from '../systems/system-settings.ts';

/** The systems that come with the command, by name. Loaded when asked for. */
const builtIn: Readonly<Record<string, (settings: SystemSettings) => Promise<System>>> = {
  byoh: async () => (await import('../systems/byoh.ts')).byoh,
  // The two halves of byoh, to run as separate processes.
  'byoh-installer': async () => (await import('../systems/byoh.ts')).byohInstaller,
  'byoh-manager': async () => (await import('../systems/byoh.ts')).byohManager,
  chains: async () => (await import('../systems/chains.ts')).chains,
  connectors: async (settings) => (await import('../systems/connectors.ts')).connectors(settings),
  pipelines: async (settings) => (await import('../systems/pipelines.ts')).pipelinesFor(settings),
  'proxy-webhook': async () => (await import('../systems/proxy-webhook.ts')).proxyWebhook,
  pruner: async () => (await import('../systems/pruner.ts')).pruner,
  results: async (settings) => (await import('../systems/results.ts')).resultsFor(settings),
  'tekton-operator': async () => (await import('./tekton-operator.ts')).tektonOperator,
  triggers: async () => (await import('../systems/triggers.ts')).triggers,
};

/**
 * The systems that the command line names: built-in ones by their names, or `all` of them; others by the file, folder or package
 * that exports a `system`.
 *
 * @example
 * await loadSystems('./examples/memcached-operator,@acme/operator')
 */
export async function loadSystems(text: string, settings: SystemSettings = {}): Promise<readonly System[]> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .flatMap((name) => (name === 'all' ? allSystems : [name]));
  return Promise.all([...new Set(names)].map((name) => loadSystem(name, settings)));
}

async function loadSystem(name: string, settings: SystemSettings): Promise<System> {
  const own = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (own) return own(settings);
  const file = find(name);
  let module: { readonly system?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly system?: unknown };
  } catch (error) {
    throw new UserError(`--systems: ${name} cannot be loaded: ${(error as Error).message}`);
  }
  if (!isSystem(module.system))
    throw new UserError(`--systems: ${name} exports no \`system\`; see examples/memcached-operator for an example`);
  return module.system;
}

/** The file to load: the file itself, or what a folder or a package names as its entry. */
function find(name: string): string {
  const here = resolve(name);
  const require = createRequire(join(process.cwd(), 'index.js'));
  if (existsSync(here)) return statSync(here).isFile() ? here : entryOf(name, here);
  try {
    return require.resolve(name);
  } catch {
    const known = ['all', ...Object.keys(builtIn)].join(', ');
    throw new UserError(
      `--systems: there is no ${JSON.stringify(name)}; give one of ${known}, or a file, folder or package`,
    );
  }
}

function entryOf(name: string, folder: string): string {
  let manifest: { exports?: { '.'?: { default?: string } }; main?: string };
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as typeof manifest;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      `--systems: ${name} ${code === 'ENOENT' ? 'has no package.json; name the file' : `has a bad package.json: ${message}`}`,
    );
  }
  const entry = join(folder, manifest.exports?.['.']?.default ?? manifest.main ?? 'index.js');
  if (!existsSync(entry))
    throw new UserError(`--systems: ${name} has no ${entry}; is it built? Try npm run build there`);
  return entry;
}

function isSystem(value: unknown): value is System {
  const { name, kinds, controllers } = (value ?? {}) as Partial<System>;
  return typeof name === 'string' && Array.isArray(kinds) && Array.isArray(controllers);
}
