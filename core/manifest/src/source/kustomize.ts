import { readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { isManifestError, ManifestError } from '../manifest-error.ts';
import type { ManifestItem } from '../origin.ts';
import { parseObjects } from './parse-objects.ts';
import type { ProgramRunner } from './program.ts';
import { sourceError } from './read-path.ts';

export interface KustomizeOptions {
  /** Bases from the network. Default false: what was reviewed is the folder. */
  readonly allowRemote?: boolean;
  readonly programs: ProgramRunner;
  readonly signal?: AbortSignal;
}

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const maxBases = 1000;

/** Whether kustomize would take the folder. */
export async function isKustomizeFolder(folder: string): Promise<boolean> {
  return (await kustomizationIn(folder)) !== undefined;
}

/** The objects of a kustomize folder, made by `kustomize build` or, where there is none, `kubectl kustomize`. */
export async function renderKustomize(folder: string, options: KustomizeOptions): Promise<ManifestItem[]> {
  const { programs, signal, allowRemote = false } = options;
  if (!(await isKustomizeFolder(folder))) throw sourceError(folder, `there is no ${fileNames[0]} in it`);
  if (!allowRemote) await refuseRemoteBases(folder);
  const text = await build(folder, programs, signal);
  return parseObjects(text, `${folder} (kustomize)`);
}

async function build(folder: string, programs: ProgramRunner, signal: AbortSignal | undefined): Promise<string> {
  const options = signal ? { signal } : {};
  try {
    return await programs.run('kustomize', ['build', folder], options);
  } catch (error) {
    if (!isManifestError(error, 'PROGRAM_MISSING')) throw error;
  }
  try {
    return await programs.run('kubectl', ['kustomize', folder], options);
  } catch (error) {
    if (!isManifestError(error, 'PROGRAM_MISSING')) throw error;
    throw new ManifestError(
      'PROGRAM_MISSING',
      `${folder} is a kustomize folder, and there is neither kustomize nor kubectl here to build it; install one, or give the output of \`kustomize build\``,
    );
  }
}

async function kustomizationIn(folder: string): Promise<string | undefined> {
  for (const name of fileNames) {
    const path = join(folder, name);
    if (
      await stat(path).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return path;
  }
  return undefined;
}

/** Follows bases and components, and refuses those that kustomize would fetch. */
async function refuseRemoteBases(start: string): Promise<void> {
  const seen = new Set<string>();
  const waiting = [resolve(start)];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    if (seen.size > maxBases) throw sourceError(start, `it has more than ${maxBases} bases`);
    const file = await kustomizationIn(folder);
    if (!file) continue;
    const kustomization = readKustomization(await readFile(file, 'utf8'), file);
    const refuse = (what: string) => {
      const shown = relative(process.cwd(), file).startsWith(`..${sep}`) ? file : relative(process.cwd(), file);
      throw sourceError(shown, `${what} is remote; allow that, or keep a copy in the folder`);
    };
    for (const base of basesOf(kustomization)) {
      const path = resolve(folder, base);
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory()) waiting.push(path);
      else if (!found && looksRemote(base)) refuse(base);
    }
    const remote = filesOf(kustomization).find((path) => /^https?:\/\//i.test(path));
    if (remote !== undefined) refuse(remote);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function readKustomization(text: string, file: string): Fields {
  try {
    return (parseFirstYaml(text)?.value ?? {}) as Fields;
  } catch (error) {
    throw sourceError(file, (error as Error).message, error);
  }
}

function basesOf({ resources, bases, components, crds, generators, transformers, validators }: Fields): string[] {
  return [resources, bases, components, crds, generators, transformers, validators].flatMap(textsIn);
}

/** All other files, which kustomize fetches too if they are URLs: of patches, generators, replacements and settings. */
function filesOf(fields: Fields): string[] {
  const paths = (name: string) => fieldsIn(fields[name]).flatMap(({ path }) => textsIn([path]));
  const generated = [...fieldsIn(fields.configMapGenerator), ...fieldsIn(fields.secretGenerator)].flatMap(
    ({ files, envs, env }) => [
      ...textsIn(files).flatMap((file) => [file, file.slice(file.indexOf('=') + 1)]),
      ...textsIn(envs),
      ...textsIn([env]),
    ],
  );
  const settings = fieldsIn([fields.openapi]).flatMap(({ path }) => textsIn([path]));
  return [
    ...['patches', 'patchesJson6902', 'replacements'].flatMap(paths),
    ...textsIn(fields.patchesStrategicMerge),
    ...textsIn(fields.configurations),
    ...fieldsIn(fields.helmCharts).flatMap(({ repo, valuesFile }) => textsIn([repo, valuesFile])),
    ...generated,
    ...settings,
  ].map((text) => text.trim());
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === 'string') : [];
}

function fieldsIn(list: unknown): Fields[] {
  return Array.isArray(list)
    ? list.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
    : [];
}

function looksRemote(base: string): boolean {
  return /:\/\/|^git@|^[a-z0-9.-]+\.[a-z]{2,}[/:]|\?ref=|\.git(\/\/|$)/i.test(base);
}
