import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { version } from './make-release.mjs';

const root = join(import.meta.dirname, '../..');
const folder = inject('release');
const first = join(folder, 'first');
const unpacked = join(folder, 'unpacked');

beforeAll(() => {
  for (const file of readdirSync(join(first, 'npm'))) {
    const target = join(unpacked, file.replace(`-${version}.tgz`, ''));
    mkdirSync(target, { recursive: true });
    spawnSync('tar', ['xzf', join(first, 'npm', file), '-C', target, '--strip-components=1']);
  }
});

const packages = () => readdirSync(unpacked);
const filesOf = (name) => readdirSync(join(unpacked, name), { recursive: true }).map(String);
const manifestOf = (name) => JSON.parse(readFileSync(join(unpacked, name, 'package.json'), 'utf8'));

describe('a release', () => {
  it('is the same, byte for byte, when it is made again', () => {
    const again = join(folder, 'again');
    const { status } = spawnSync(process.execPath, [
      join(import.meta.dirname, 'release.mjs'),
      version,
      '--output',
      again,
    ]);
    expect(status).toBe(0);
    const sums = (path) => readFileSync(join(path, 'SHA256SUMS'), 'utf8');
    expect(sums(again)).toBe(sums(first));
    rmSync(again, { recursive: true });
  });

  it('has checksums of all its files that sha256sum accepts', () => {
    const { status, stdout } = spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
      cwd: first,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
    expect(readFileSync(join(first, 'SHA256SUMS'), 'utf8')).toContain('sbom.cdx.json');
  });

  it('lists the packages of others with licenses and hashes', () => {
    const { components, serialNumber } = JSON.parse(readFileSync(join(first, 'sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['undici', 'yaml', 're2js', 'ws', 'preact', 'commander']));
    expect(names.filter((name) => name.startsWith('@tektite/') || name === 'vitest' || name === 'typescript')).toEqual(
      [],
    );
    expect(components.filter(({ licenses, hashes }) => !licenses || !hashes)).toEqual([]);
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
  });

  it('has its part of the changelog', () => {
    expect(readFileSync(join(first, 'CHANGES.md'), 'utf8')).toMatch(/^# 1\.2\.3-test\.1\n/);
  });
});

describe('every package', () => {
  it('has a license, a page, its repository and one version', () => {
    for (const name of packages()) {
      expect([name, filesOf(name)]).toEqual([name, expect.arrayContaining(['LICENSE', 'README.md', 'package.json'])]);
      const manifest = manifestOf(name);
      expect(manifest).toMatchObject({ version, license: 'Apache-2.0', repository: { type: 'git' } });
      expect(Object.keys(manifest)).not.toContain('devDependencies');
      const own = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(([each]) =>
        each.startsWith('@tektite/'),
      );
      expect(own.filter(([, range]) => range !== version)).toEqual([]);
    }
  });

  it('has no tests, no build information, and no maps without sources', () => {
    for (const name of packages()) {
      const files = filesOf(name);
      expect([
        name,
        files.filter((file) => /\.test\.|\.test-d\.|\.cases\.|test-support|tsbuildinfo/.test(file)),
      ]).toEqual([name, []]);
      for (const map of files.filter((file) => file.endsWith('.js.map'))) {
        const { sources } = JSON.parse(readFileSync(join(unpacked, name, map), 'utf8'));
        for (const source of sources)
          expect(existsSync(join(unpacked, name, map, '..', source)), `${name}/${map}`).toBe(true);
      }
    }
  });

  it('has the files that its exports and commands name', () => {
    for (const name of packages()) {
      const { exports = {}, bin = {} } = manifestOf(name);
      const targets = [...Object.values(exports).flatMap((each) => Object.values(each)), ...Object.values(bin)];
      for (const target of targets) expect(existsSync(join(unpacked, name, target)), `${name}: ${target}`).toBe(true);
    }
  });
});

describe('the compiled programs', () => {
  it.each([
    ['x64', 62],
    ['arm64', 183],
  ])('for %s are static', (architecture, machine) => {
    const bin = join(unpacked, `tektite-native-linux-${architecture}`, 'bin');
    const programs = readdirSync(join(root, 'native')).filter((name) => existsSync(join(root, 'native', name, 'src')));
    expect(readdirSync(bin)).toEqual(programs);
    for (const name of programs) {
      const bytes = readFileSync(join(bin, name));
      expect([name, bytes.readUInt16LE(18), hasInterpreter(bytes)]).toEqual([name, machine, false]);
    }
  });

  it('for arm64 run', () => {
    const program = join(unpacked, 'tektite-native-linux-arm64/bin/entrypoint');
    const command = process.arch === 'arm64' ? [program] : ['qemu-aarch64-static', program];
    const { status, stderr } = spawnSync(command[0], [...command.slice(1), 'nop'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/ Exiting\.\.\.\n$/)]);
  });
});

/** Whether a program wants a dynamic linker. */
function hasInterpreter(bytes) {
  const start = Number(bytes.readBigUInt64LE(32));
  const size = bytes.readUInt16LE(54);
  const count = bytes.readUInt16LE(56);
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(start + index * size)).includes(3);
}
