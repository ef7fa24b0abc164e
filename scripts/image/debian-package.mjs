import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debian } from './pins.mjs';

const debianArchitectures = { x64: 'amd64', arm64: 'arm64' };

/**
 * Packages of Debian from the archives that apt of this machine is set to. An archive keeps one version of a package and drops it with the next
 * point release, so a pin alone would make every commit stop building one day: where the pinned version is gone, the version that the
 * archives have now is taken, verified by apt, and reported. Bills of materials name what was taken.
 */
export class DebianPackages {
  constructor({ cache, pins = debian, sources = '/etc/apt', report = console.warn }) {
    Object.assign(this, { cache, pins, sources, report });
    this.found = new Map();
  }

  /** The file of a package for an architecture, with its version and checksum. */
  get(name, architecture) {
    const key = `${name} ${architecture}`;
    const found = this.found.get(key) ?? this.pinned(name, architecture) ?? this.current(name, architecture);
    this.found.set(key, found);
    return found;
  }

  pinned(name, architecture) {
    const { version, pool, sha256 } = this.pins[name];
    const base = `${name}_${version}_${debianArchitectures[architecture]}.deb`;
    const file = join(this.cache, base);
    const wanted = sha256[architecture];
    if (existsSync(file) && digestOf(file) === wanted) return { file, version, sha256: wanted };
    return inTemporaryFolder((into) => {
      const fetched = join(into, base);
      const got = archives(this.sources).some((archive) => {
        // It goes the way that apt goes on this machine, proxies included.
        const url = `${archive}/pool/main/${pool}/${base}`;
        return spawnSync('/usr/lib/apt/apt-helper', ['download-file', url, fetched]).status === 0;
      });
      if (!got) return undefined;
      const digest = digestOf(fetched);
      if (digest !== wanted)
        throw new Error(`${base} is not the file that scripts/image/pins.mjs names: its sha256 is ${digest}`);
      return { file: this.keep(fetched, base), version, sha256: wanted };
    });
  }

  current(name, architecture) {
    const { version: pinned } = this.pins[name];
    return inTemporaryFolder((into) => {
      this.apt(architecture, into, 'download', name);
      const base = readdirSync(into).find((each) => each.endsWith('.deb'));
      if (!base) throw new Error(`no archive of ${this.sources} has ${name} for ${architecture}`);
      const file = this.keep(join(into, base), base);
      const version = spawnSync('dpkg-deb', ['--field', file, 'Version'], { encoding: 'utf8' }).stdout.trim();
      const digest = digestOf(file);
      const names = `${name} ${pinned} (${debianArchitectures[architecture]})`;
      this.report(`image: the archives have ${names} no more; ${version} is taken. scripts/image/pins.mjs can name it`);
      return { file, version, sha256: digest };
    });
  }

  /** Runs apt-get for an architecture on lists of its own, so that those of the machine stay as they are. */
  apt(architecture, folder, ...args) {
    const state = join(this.lists(), architecture);
    const options = [
      `APT::Architecture=${debianArchitectures[architecture]}`,
      `APT::Architectures=${debianArchitectures[architecture]}`,
      `Dir::State::lists=${join(state, 'lists')}`,
      'Dir::State::status=/dev/null',
      `Dir::Cache=${join(state, 'cache')}`,
      `Dir::Etc::sourcelist=${join(this.sources, 'sources.list')}`,
      `Dir::Etc::sourceparts=${join(this.sources, 'sources.list.d')}`,
      'Acquire::Languages=none',
      'Acquire::Retries=3',
    ].flatMap((each) => ['-o', each]);
    const run = (...words) => spawnSync('apt-get', ['-qq', ...options, ...words], { cwd: folder, encoding: 'utf8' });
    if (!existsSync(state)) {
      mkdirSync(join(state, 'lists/partial'), { recursive: true });
      mkdirSync(join(state, 'cache/archives/partial'), { recursive: true });
      // An archive of others that fails is no reason to fail: the download shows whether what is needed is there.
      run('update');
    }
    const { status, stderr, error } = run(...args);
    if (status !== 0) throw new Error(`apt-get ${args.join(' ')}: ${error?.message ?? stderr}`);
  }

  lists() {
    if (this.listsFolder) return this.listsFolder;
    const folder = (this.listsFolder = mkdtempSync(join(tmpdir(), 'tektite-apt-')));
    // apt reads archives as a user of its own.
    chmodSync(folder, 0o755);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  keep(file, base) {
    mkdirSync(this.cache, { recursive: true });
    // The folders may be on different disks.
    const kept = join(this.cache, base);
    const part = `${kept}.${process.pid}`;
    spawnSync('cp', [file, part]);
    renameSync(part, kept);
    return kept;
  }
}

const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

function inTemporaryFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'tektite-deb-'));
  chmodSync(folder, 0o755);
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The archives that apt is set to. */
function archives(sources) {
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
