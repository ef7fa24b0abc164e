import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { entrypointProgram } from '@tektite/pipelines';
import { describe, expect, it } from 'vitest';
import { eventually, repository, Scratch } from '../test-support.ts';

const folder = join(repository, 'examples/pipelines');
const run = (scratch: Scratch, name: string, ...more: string[]) =>
  scratch.tektite(['run', '-f', join(folder, name), ...more], { NO_COLOR: '1' });
/** With the git and node of this machine. */
const onMachine = ['--runtime', 'host'];

describe.runIf(entrypointProgram())('an example', () => {
  it.each<[name: string, args: string[], code: number, says: (string | RegExp)[]]>([
    [
      'hello.yaml',
      ['-p', 'who=you'],
      0,
      ['[say : speak] Hello, you!\n', '[bye : wave] Bye.\n', '  greeting = Hello, you!\n'],
    ],
    ['matrix.yaml', [], 0, ['publishing app-linux-arm64.deb\n', 'publishing app-darwin-amd64.zip\n']],
    ['fan-out.yaml', [], 0, ['[first : add] 6\n', '  total = 45\n']],
    [
      'notify.yaml',
      [],
      1,
      [
        /work [\d.]+ m?s {2}attempt 2/,
        '- celebrate  PipelineRun was stopping\n',
        '[tell : tell] work: Failed, all: Failed\n',
        'somebody should',
      ],
    ],
    [
      'notify.yaml',
      ['-p', 'command=true'],
      0,
      ['It works.\n', '- page (finally)  When Expressions evaluated to false\n'],
    ],
  ])('does what it says: %s %j', (name, args, code, says) => {
    using scratch = new Scratch();
    const { out, ...ended } = run(scratch, name, ...args);
    for (const text of says) expect(out).toMatch(text instanceof RegExp ? text : new RegExp(escape(text)));
    expect(ended.code).toBe(code);
  });

  it('builds and tests a repository: build-and-test.yaml', async () => {
    using scratch = new Scratch();
    const project = join(scratch.path, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'sum.mjs'), 'export const sum = (a, b) => a + b;\n');
    writeFileSync(
      join(project, 'sum.test.mjs'),
      "import test from 'node:test';\nimport { equal } from 'node:assert';\nimport { sum } from './sum.mjs';\ntest('adds', () => equal(sum(1, 2), 3));\n",
    );
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], {
        cwd: project,
        encoding: 'utf8',
      });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'Add sum');
    using server = await serveGit(scratch.path);
    const { out, code } = run(scratch, 'build-and-test.yaml', ...onMachine, '-p', `url=${server.url}/project`);
    expect(out).toMatch(/\[test : node\] # pass 1\n/);
    expect(out).toContain(`commit = ${git('rev-parse', 'HEAD').trim()}\n`);
    expect(code).toBe(0);
  });

  it('makes a project by default: build-and-test.yaml', () => {
    using scratch = new Scratch();
    const { out, err, code } = run(scratch, 'build-and-test.yaml', ...onMachine);
    expect(err).not.toContain('FailedScheduling');
    expect(out).toMatch(/\[test : node\] # pass 1\n/);
    expect(out).toMatch(/commit = [0-9a-f]{40}\n/);
    expect(code).toBe(0);
  });

  it('is named by the page, and no other', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    expect(files.sort()).toEqual(['build-and-test.yaml', 'fan-out.yaml', 'hello.yaml', 'matrix.yaml', 'notify.yaml']);
  });
});

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A server for the repositories in a folder: containers do not see folders such as /tmp of this machine. */
async function serveGit(path: string): Promise<Disposable & { readonly url: string }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const args = ['--reuseaddr', '--listen=127.0.0.1', `--port=${port}`, '--export-all', `--base-path=${path}`];
  // Not `git daemon`: that would be a second process to end.
  const daemon = spawn(join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-daemon'), args);
  const url = `git://127.0.0.1:${port}`;
  await eventually(() => isThere(`${url}/project`)).toBe(true);
  return { url, [Symbol.dispose]: () => void daemon.kill() };
}

function isThere(url: string): boolean {
  try {
    execFileSync('git', ['ls-remote', url], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
