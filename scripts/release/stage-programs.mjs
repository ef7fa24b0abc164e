import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativePackage, platforms } from './published.mjs';
import { writeManifest } from './stage-package.mjs';

/** The folders of `native/` that are programs. */
export function nativePrograms(root) {
  return readdirSync(join(root, 'native')).filter((name) =>
    existsSync(join(root, 'native', name, 'scripts/build.mjs')),
  );
}

/** Compiles all programs for an architecture, static, into a package. Throws where a compiler is missing. */
export function stagePrograms(root, architecture, version, repository, folder) {
  const compiler = compilerFor(architecture);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const name of nativePrograms(root)) {
    const output = join(folder, 'bin', name);
    const script = join(root, 'native', name, 'scripts/build.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--static', '--output', output], {
      encoding: 'utf8',
      env: { ...process.env, CC: compiler },
    });
    if (status !== 0 || !existsSync(output)) throw new Error(`${name} for ${architecture}: ${stdout}${stderr}`);
    rmSync(`${output}.sources`, { force: true });
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const name = nativePackage(architecture);
  const description = `Compiled programs of Tektite for Linux on ${architecture}`;
  writeFileSync(
    join(folder, 'README.md'),
    `# ${name}\n\n${description}: they run the steps of Tasks, make containers and networks, and unpack images. \`tektite\` installs this\npackage by itself where it fits.\n`,
  );
  writeManifest(folder, {
    name,
    version,
    description,
    license: 'Apache-2.0',
    repository: { type: 'git', url: repository, directory: 'native' },
    os: ['linux'],
    cpu: [architecture],
    files: ['bin'],
    publishConfig: { access: 'public' },
  });
}

/** The compiler of this machine for its own architecture, Debian's cross compiler for others. */
function compilerFor(architecture) {
  if (architecture === process.arch) return process.env.CC || 'cc';
  const compiler = `${platforms[architecture].triple}-gcc`;
  if (spawnSync(compiler, ['--version']).status !== 0)
    throw new Error(
      `${compiler} is missing (Debian: apt-get install gcc-${platforms[architecture].triple.replace('_', '-')})`,
    );
  return compiler;
}
