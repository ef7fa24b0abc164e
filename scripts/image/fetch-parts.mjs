import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DebianPackages } from './debian-package.mjs';
import { node } from './pins.mjs';

/** Kept between builds; what is in it is checked each time. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tektite', 'image');

/** Packages of Debian, each version once for all images of a process. */
export const debianPackages = new DebianPackages({ cache });

/** The folder with the files of npm's package of Node.js for an architecture. */
export function fetchNode(architecture, folder, { version, integrity } = node) {
  const file = join(cache, `node-linux-${architecture}-${version}.tgz`);
  // Base64 has no dash.
  const [algorithm, wanted] = integrity[architecture].split('-');
  fetchChecked(file, algorithm, wanted, (into) => {
    const name = `node-linux-${architecture}@${version}`;
    run('npm', ['pack', name, '--pack-destination', into, '--silent'], into);
  });
  const target = join(folder, `node-${version}-${architecture}`);
  mkdirSync(target, { recursive: true });
  run('tar', ['-xzf', file, '-C', target, '--strip-components=1', 'package/bin/node', 'package/LICENSE']);
  return target;
}

/** The folder with the files of a package of Debian for an architecture. */
export function fetchPackage(name, architecture, folder) {
  const { file } = debianPackages.get(name, architecture);
  const target = join(folder, `${name}-${architecture}`);
  mkdirSync(target, { recursive: true });
  run('dpkg-deb', ['-x', file, target]);
  return target;
}

/** Fetches into a temporary folder, and gives the file its name only when its checksum is right. */
function fetchChecked(file, algorithm, wanted, fetch) {
  const digest = (path) => createHash(algorithm).update(readFileSync(path)).digest('base64');
  if (existsSync(file) && digest(file) === wanted) return;
  mkdirSync(cache, { recursive: true });
  const into = mkdtempSync(join(cache, 'fetch-'));
  try {
    fetch(into);
    const [name] = readdirSync(into);
    const fetched = join(into, name ?? 'none');
    if (digest(fetched) !== wanted)
      throw new Error(`${name} is not the file that scripts/image/pins.mjs names: its ${algorithm} differs`);
    renameSync(fetched, file);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

export function run(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...(cwd ? { cwd } : {}) });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr}`);
}
