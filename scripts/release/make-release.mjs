// Makes a release for tests, once, in a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Not that of the sources, so that a version that is written somewhere is found. */
export const version = '1.2.3-test.1';

export default function makeRelease({ provide }) {
  // While one works on a test, a release that is there already will do: a folder with `first` in it.
  if (process.env.TEKTITE_TEST_RELEASE) return provide('release', process.env.TEKTITE_TEST_RELEASE);
  const folder = mkdtempSync(join(tmpdir(), 'tektite-packages-'));
  const script = join(import.meta.dirname, 'release.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, version, '--output', join(folder, 'first')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  provide('release', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
