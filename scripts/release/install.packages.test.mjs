import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseYaml } from '@tektite/schema/yaml';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { version } from './make-release.mjs';
import { startRegistry } from './package-registry.mjs';

const root = join(import.meta.dirname, '../..');
const archives = join(inject('release'), 'first/npm');
const home = mkdtempSync(join(tmpdir(), 'tektite-user-'));
/** No compiler: a folder with Node.js, and the machine's programs without it. */
const programs = join(home, 'bin');
const env = { HOME: home, PATH: `${programs}:/bin`, LANG: 'C.UTF-8', CI: 'true' };

beforeAll(() => {
  mkdirSync(programs);
  const wanted = ['sh', 'bash', 'cat', 'sleep', 'mkdir', 'ls', 'tar', 'env'];
  for (const name of wanted)
    writeFileSync(join(programs, name), `#!/bin/sh\nexec /bin/${name} "$@"\n`, { mode: 0o755 });
  env.PATH = `${dirname(process.execPath)}:${env.PATH}`;
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (folder, command, args, more = {}) =>
  spawnSync(command, args, { cwd: folder, env: { ...env, ...more }, encoding: 'utf8', timeout: 240_000 });
const archiveOf = (name) => join(archives, `${name}-${version}.tgz`);

describe('the command, installed into an empty folder without a network', () => {
  const project = join(home, 'project');
  const tektite = join(project, 'node_modules/.bin/tektite');

  beforeAll(() => {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    const files = [archiveOf('tektite'), archiveOf(`tektite-native-linux-${process.arch}`)];
    const install = run(project, 'npm', ['install', '--offline', '--no-audit', '--no-fund', ...files]);
    expect([install.status, install.stderr]).toEqual([0, expect.not.stringContaining('ERR')]);
    for (const example of ['hello.yaml']) cpSync(join(root, 'examples/pipelines', example), join(project, example));
  });

  it('brings nothing but itself and its programs', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@tektite',
      'tektite',
    ]);
    expect(readdirSync(join(project, 'node_modules/@tektite'))).toEqual([`native-linux-${process.arch}`]);
  });

  it('has the version of the release', () => {
    expect(run(project, tektite, ['version']).stdout).toContain(`tektite  ${version}`);
  });

  it('runs a pipeline', () => {
    const { status, stdout, stderr } = run(project, 'npx', ['tektite', 'run', 'hello.yaml', '-p', 'who=installed']);
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/Error|compile/)]);
    expect(stdout).toContain('greeting = Hello, installed!');
  });

  it('serves a control plane with all systems and the page', async () => {
    const up = spawn(tektite, ['up', '--data-dir', join(home, 'data'), '--port', '0', '--systems', 'all'], {
      cwd: project,
      env,
    });
    let output = '';
    up.stdout.on('data', (chunk) => (output += chunk));
    up.stderr.on('data', (chunk) => (output += chunk));
    try {
      await expect.poll(() => output, { timeout: 60_000 }).toContain('Ctrl-C');
      const page = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(output)?.[0] ?? '';
      const answer = await fetch(page, { redirect: 'manual' });
      expect(answer.status).toBeLessThan(400);
      expect(existsSync(join(home, 'data/kubeconfig'))).toBe(true);
    } finally {
      up.kill('SIGINT');
      await once(up, 'exit');
    }
    expect(output).not.toMatch(/\n {4}at /);
  });
});

describe('an operator that the installed command made', () => {
  it('installs, compiles, passes its tests, and runs', async () => {
    const others = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
    const registry = await startRegistry(archives, others);
    try {
      const operators = join(home, 'operators');
      mkdirSync(operators);
      // The registry of others may need the settings of this machine.
      const npm = (folder, ...args) =>
        spawnAsync(folder, 'npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], {
          ...process.env,
          npm_config_registry: registry.url,
          NODE_ENV: '',
        });
      writeFileSync(join(operators, 'package.json'), '{}');
      expect(await npm(operators, 'install', `tektite@${version}`)).toMatchObject({ status: 0 });
      const made = run(operators, join(operators, 'node_modules/.bin/tektite'), [
        'new',
        'operator',
        'coffee',
        '--kind',
        'CoffeeShop',
      ]);
      expect([made.status, made.stderr]).toEqual([0, '']);
      const folder = join(operators, 'coffee');
      expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies['@tektite/controller']).toBe(
        version,
      );
      expect(await npm(folder, 'install')).toMatchObject({ status: 0 });
      expect(await npm(folder, 'run', 'build')).toMatchObject({ status: 0 });
      const tests = await npm(folder, 'test');
      expect(tests).toMatchObject({ status: 0, output: expect.stringMatching(/\d+ passed/) });
      expect(registry.asked.filter((name) => name.startsWith('@tektite/') || name === 'tektite')).toEqual([]);
    } finally {
      await registry.close();
    }
  });
});

describe('the workflow for CI', () => {
  it('runs its commands, with the packages of this release', async () => {
    const others = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
    const registry = await startRegistry(archives, others);
    try {
      const checkout = join(home, 'checkout');
      mkdirSync(checkout);
      cpSync(join(root, 'examples/pipelines/hello.yaml'), join(checkout, 'pipeline.yaml'));
      const summary = join(checkout, 'summary.md');
      const [{ value: workflow }] = parseYaml(readFileSync(join(root, 'examples/ci/tekton.yaml'), 'utf8'));
      const commands = workflow.jobs.pipeline.steps.flatMap(({ run: command }) => command ?? []);
      expect(commands).toHaveLength(3);
      for (const command of commands) {
        const settings = { npm_config_registry: registry.url, GITHUB_STEP_SUMMARY: summary, TEKTITE_OFFLINE: '1' };
        const done = await spawnAsync(checkout, 'bash', ['-eo', 'pipefail', '-c', command], {
          ...process.env,
          ...settings,
        });
        expect(done, command).toMatchObject({ status: 0 });
      }
      expect(readFileSync(join(checkout, 'report.xml'), 'utf8')).toMatch(/<testsuites?[ >]/);
      expect(readFileSync(summary, 'utf8')).toContain('hello');
      expect(registry.asked.filter((name) => name.startsWith('@tektite/') || name === 'tektite')).toEqual([]);
    } finally {
      await registry.close();
    }
  });
});

/** The registry is in this process, so that it must not wait. */
async function spawnAsync(cwd, command, args, environment) {
  const child = spawn(command, args, { cwd, env: environment });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [status] = await once(child, 'exit');
  return { status, output };
}
