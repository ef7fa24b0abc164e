import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fetchNode } from '../image/fetch-parts.mjs';
import { testedNodes } from '../image/pins.mjs';
import { version as release } from '../release/make-release.mjs';

const root = join(import.meta.dirname, '../..');
const archives = join(inject('release'), 'first/npm');
const folder = mkdtempSync(join(tmpdir(), 'tektite-node-'));
const native = `native-linux-${process.arch}`;
const tektite = join(folder, 'node_modules/tektite/bin/tektite.js');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packages as npm would put them. */
beforeAll(() => {
  for (const [archive, place] of [
    ['tektite', 'tektite'],
    [`tektite-${native}`, `@tektite/${native}`],
  ]) {
    const target = join(folder, 'node_modules', place);
    mkdirSync(target, { recursive: true });
    const args = ['-xzf', join(archives, `${archive}-${release}.tgz`), '-C', target, '--strip-components=1'];
    expect(spawnSync('tar', args).status).toBe(0);
  }
});

/** Where Node.js itself matters most: TLS, HTTP/2, certificates. */
const tests = ['core/certificates', 'local/apiserver/src/http/http-server.test.ts'];

describe.each(testedNodes)('on Node.js $version', (pin) => {
  let bin;
  let env;
  beforeAll(() => {
    bin = join(fetchNode(process.arch, folder, pin), 'bin');
    env = { HOME: folder, PATH: `${bin}:/usr/bin:/bin`, LANG: 'C.UTF-8', TEKTITE_OFFLINE: '1', CI: 'true' };
  });
  const run = (args, cwd = folder) =>
    spawnSync(join(bin, 'node'), args, { cwd, env, encoding: 'utf8', timeout: 120_000 });

  it('the command runs a pipeline', () => {
    const { status, stdout, stderr } = spawnSync(tektite, ['run', join(root, 'examples/pipelines/hello.yaml')], {
      env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/Error|Warning/)]);
    expect(stdout).toContain('greeting = Hello, ');
  });

  it('the command serves a control plane', async () => {
    const up = spawn(tektite, ['up', '--in-memory', '--port', '0', '--systems', 'all'], { env });
    let output = '';
    up.stdout.on('data', (chunk) => (output += chunk));
    up.stderr.on('data', (chunk) => (output += chunk));
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Ctrl-C');
    up.kill('SIGINT');
    const [code] = await once(up, 'exit');
    expect([code, output]).toEqual([expect.any(Number), expect.not.stringMatching(/Warning|\n {4}at /)]);
  });

  it('tests of what is closest to Node.js pass', () => {
    const { status, stdout } = run([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests], root);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/passed/)]);
  });
});
