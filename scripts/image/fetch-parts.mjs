import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { debian, node } from './pins.mjs';

/** Kept between builds; what is in it is checked each time. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tektite', 'image');
const sources = '/etc/apt';

/** The archives that apt of this machine is set to. A version that they have no more needs a new pin. */
function archives() {
  const folder = join(sources, 'sources.list.d');
  const listed = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const files = [join(sources, 'sources.list'), ...listed].filter((file) => /\.(list|sources)$/.test(file));
  const texts = files.filter(existsSync).map((file) => readFileSync(file, 'utf8'));
  // `URIs: ADDRESS …` and `deb [options] ADDRESS suite component`.
  const found = texts.flatMap((text) =>
    [...text.matchAll(/^(?:URIs:|deb(?:[ \t]+\[[^\]]*\])?)[ \t]+(.+)$/gm)].flatMap(([, words]) => words.split(/\s+/)),
  );
  const addresses = [...new Set(found.filter((word) => word.includes('://')).map((word) => word.replace(/\/$/, '')))];
  if (addresses.length === 0) throw new Error(`images need packages of Debian: no archive of it is set in ${sources}`);
  return addresses;
}

const debianArchitectures = { x64: 'amd64', arm64: 'arm64' };

/** The folder with the files of npm's package of Node.js for an architecture. */
export function fetchNode(architecture, folder, { version, integrity } = node) {
  const file = join(cache, `node-linux-${architecture}-${version}.tgz`);
  // Base64 has no dash.
  const [algorithm, wanted] = integrity[architecture].split('-');
  fetchChecked(file, algorithm, 'base64', wanted, (into) => {
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
  const { version, pool, sha256 } = debian[name];
  const base = `${name}_${version}_${debianArchitectures[architecture]}.deb`;
  const file = join(cache, base);
  fetchChecked(file, 'sha256', 'hex', sha256[architecture], (into) => {
    // It goes the way that apt goes on this machine, proxies included.
    const searched = archives();
    const fetched = searched.some((archive) => {
      const url = `${archive}/pool/main/${pool}/${base}`;
      return spawnSync('/usr/lib/apt/apt-helper', ['download-file', url, join(into, base)]).status === 0;
    });
    if (!fetched) throw new Error(`${base} is in none of ${searched.join(', ')}; scripts/image/pins.mjs names it`);
  });
  const target = join(folder, `${name}-${architecture}`);
  mkdirSync(target, { recursive: true });
  run('dpkg-deb', ['-x', file, target]);
  return target;
}

/** Fetches into a temporary folder, and gives the file its name only when its checksum is right. */
function fetchChecked(file, algorithm, encoding, wanted, fetch) {
  const digest = (path) => createHash(algorithm).update(readFileSync(path)).digest(encoding);
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
