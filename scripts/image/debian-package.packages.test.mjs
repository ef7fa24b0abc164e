import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DebianPackages } from './debian-package.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tektite-debian-'));
const archive = join(folder, 'archive');
const sources = join(folder, 'apt');
const digests = {};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An archive with version 2 of a package; it had version 1 before. */
beforeAll(() => {
  mkdirSync(join(sources, 'sources.list.d'), { recursive: true });
  // apt reads it as a user of its own.
  spawnSync('chmod', ['755', folder]);
  writeFileSync(join(sources, 'sources.list'), `deb [trusted=yes] file://${archive} ./\n`);
  const stanzas = ['amd64', 'arm64'].map((architecture) => {
    const control = `Package: greeting\nVersion: 2-1\nArchitecture: ${architecture}\nMaintainer: nobody <n@example.com>\nDescription: a greeting\n`;
    const tree = join(folder, `tree-${architecture}`);
    mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
    writeFileSync(join(tree, 'DEBIAN/control'), control);
    writeFileSync(join(tree, 'greeting'), `hello ${architecture}\n`);
    const path = `pool/main/g/greeting/greeting_2-1_${architecture}.deb`;
    mkdirSync(join(archive, 'pool/main/g/greeting'), { recursive: true });
    const { status, stderr } = spawnSync('dpkg-deb', ['--build', tree, join(archive, path)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    digests[architecture] = createHash('sha256')
      .update(readFileSync(join(archive, path)))
      .digest('hex');
    const size = statSync(join(archive, path)).size;
    return `${control}Filename: ./${path}\nSize: ${size}\nSHA256: ${digests[architecture]}\n`;
  });
  writeFileSync(join(archive, 'Packages'), stanzas.join('\n'));
});

function packages(version, sha256 = 'none') {
  const reports = [];
  const pins = { greeting: { version, pool: 'g/greeting', sha256: { x64: sha256, arm64: sha256 } } };
  const cache = mkdtempSync(join(folder, 'cache-'));
  return { reports, found: new DebianPackages({ cache, pins, sources, report: (text) => reports.push(text) }) };
}

describe('a package of Debian', () => {
  it('is the pinned one while an archive has it', () => {
    const { found, reports } = packages('2-1', digests.amd64);
    expect(found.get('greeting', 'x64')).toMatchObject({ version: '2-1', sha256: digests.amd64 });
    expect(reports).toEqual([]);
  });

  it.each([
    ['x64', 'amd64'],
    ['arm64', 'arm64'],
  ])(
    'for %s is the one that the archives have when the pinned one is gone, which is reported',
    (architecture, name) => {
      const { found, reports } = packages('1-1');
      const { file, version, sha256 } = found.get('greeting', architecture);
      expect([version, sha256]).toEqual(['2-1', digests[name]]);
      const { stdout } = spawnSync('dpkg-deb', ['--fsys-tarfile', file], { encoding: 'utf8' });
      expect(stdout).toContain(`hello ${name}`);
      found.get('greeting', architecture);
      expect(reports).toEqual([expect.stringContaining(`greeting 1-1 (${name}) no more; 2-1 is taken`)]);
    },
  );

  it('is refused when it has the name of the pinned one and other content', () => {
    expect(() => packages('2-1').found.get('greeting', 'x64')).toThrow('is not the file that');
  });

  it('that no archive has is an error', () => {
    const { found } = packages('1-1');
    found.pins.absent = { ...found.pins.greeting };
    expect(() => found.get('absent', 'x64')).toThrow('absent');
  });
});
