import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { bundleCommand } from '../../apps/cli/scripts/bundle-command.mjs';
import { commandName, nativePackage, platforms, withPrograms } from './published.mjs';

/** Files of a room that users have no use for: tests and what only they import, and what the compiler remembers. */
const left =
  /(?:\.test\.ts|\.test-d\.ts|\.cases\.ts|\btest-support\.(?:ts|js|d\.ts)(?:\.map)?|\.tsbuildinfo|\.DS_Store)$/;
const leftFolders = new Set(['__snapshots__', 'fixtures']);

/** Of the command, the bundle alone, which is made for the version. */
const commandFiles = ['bin', 'dist'];

/**
 * Copies what is published of a room to a folder, with the manifest that users see.
 *
 * @param {{ root: string, path: string, manifest: Record<string, any>, repository: string }} room
 */
export async function stagePackage({ root, path, manifest, repository }, version, folder) {
  const source = join(root, path);
  const isCommand = manifest.name === commandName;
  const files = isCommand ? ['bin'] : manifest.files;
  mkdirSync(folder, { recursive: true });
  for (const file of files)
    cpSync(join(source, file), join(folder, file), {
      recursive: true,
      filter: (from) => !left.test(from) && !leftFolders.has(basename(from)) && !isStale(source, from),
    });
  if (isCommand) await bundleCommand({ folder: join(folder, 'dist'), version });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const readme = join(source, 'README.md');
  if (existsSync(readme)) cpSync(readme, join(folder, 'README.md'));
  writeManifest(folder, publishedManifest(manifest, version, repository, relative(root, source)));
}

/** Whether a compiled file is of a source that was deleted: the compiler leaves it. */
function isStale(source, file) {
  const compiled = /^dist\/(?<path>.+?)\.(?:d\.ts|js)(?:\.map)?$/.exec(relative(source, file));
  return compiled !== null && !existsSync(join(source, 'src', `${compiled.groups.path}.ts`));
}

/** The manifest without what only a checkout uses. */
function publishedManifest(manifest, version, repository, directory) {
  const { devDependencies: _tools, scripts: _scripts, dependencies = {}, ...rest } = manifest;
  const isCommand = manifest.name === commandName;
  const own = ([name, range]) => [name, name.startsWith('@tektite/') ? version : range];
  return {
    ...rest,
    version,
    repository: { type: 'git', url: repository, directory },
    ...(isCommand
      ? { files: commandFiles }
      : { dependencies: Object.fromEntries(Object.entries(dependencies).map(own)) }),
    ...(withPrograms.includes(manifest.name)
      ? {
          optionalDependencies: Object.fromEntries(
            Object.keys(platforms).map((architecture) => [nativePackage(architecture), version]),
          ),
        }
      : {}),
    publishConfig: { access: 'public' },
  };
}

export function writeManifest(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
