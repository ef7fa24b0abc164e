import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError } from '@tektite/client';
import { entrypointProgram } from '@tektite/pipelines';
import { describe, expect, it } from 'vitest';
import { describeError, errorText } from './report-error.ts';
import { repository, Scratch } from './test-support.ts';
import { UserError } from './user-error.ts';

const bin = join(repository, 'apps/cli/bin/tektite.js');
const hello = `apiVersion: tekton.dev/v1
kind: TaskRun
metadata: {name: hello}
spec: {taskSpec: {steps: [{name: say, image: busybox, script: "echo one; echo two; sleep 0.2; echo three"}]}}
`;

/** Runs a shell command in a scratch folder with `hello.yaml` in it, in which `tektite` is the command. */
function shell(scratch: Scratch, command: string, env: Readonly<Record<string, string>> = {}) {
  writeFileSync(join(scratch.path, 'hello.yaml'), hello);
  mkdirSync(join(scratch.path, 'tmp'), { recursive: true });
  const script = `set -o pipefail; tektite() { ${process.execPath} ${bin} "$@"; }; ${command}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    timeout: 30_000,
    cwd: scratch.path,
    env: {
      PATH: process.env['PATH'],
      HOME: scratch.path,
      TMPDIR: join(scratch.path, 'tmp'),
      NO_COLOR: '1',
      TEKTITE_OFFLINE: '1',
      ...env,
    },
  });
  return { code: status, out: stdout, err: stderr, left: readdirSync(join(scratch.path, 'tmp')) };
}

/** Whether a shell command succeeds: some of what is tried here needs rights that a test may not have. */
const works = (command: string) => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;

describe('an error', () => {
  it.each<[string, unknown, string, number]>([
    ['of the user', new UserError('no such thing', 2), 'tektite: no such thing\n', 2],
    ['of a connection', new ClientError('TIMEOUT', 'cannot talk to x'), 'tektite: cannot talk to x\n', 1],
    [
      'of the file system',
      Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/x', syscall: 'open' }),
      'tektite: /x: no permission\n',
      1,
    ],
    [
      'of a full disk',
      Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/from', dest: '/to', syscall: 'copyfile' }),
      'tektite: /to: the disk is full\n',
      1,
    ],
    [
      'of ours',
      new TypeError('x is not\n a function'),
      'tektite: internal error: x is not a function (a bug of tektite; TEKTITE_DEBUG=1 prints the stack)\n',
      1,
    ],
    ['that is none', 'text', 'tektite: internal error: text (a bug of tektite; TEKTITE_DEBUG=1 prints the stack)\n', 1],
  ])('%s is one sentence', (_title, error, text, exitCode) => {
    expect(errorText(error)).toBe(text);
    expect(describeError(error).exitCode).toBe(exitCode);
  });
});

describe('the command', () => {
  it('ends quietly when the reader of its output has enough, and leaves nothing', () => {
    using scratch = new Scratch();
    const { code, out, err, left } = shell(
      scratch,
      'tektite run -f hello.yaml 2>err | head -1; echo ${PIPESTATUS[0]}; cat err',
    );
    expect({ code, err, left }).toEqual({ code: 0, err: '', left: [] });
    expect(out).toMatch(/^TaskRun hello\n141\n(the image busybox is replaced by .*\n)?$/);
  });

  it.each([
    ['run --bogus', 2, /unknown option/],
    [
      'run -f hello.yaml --kubeconfig config',
      1,
      /^tektite: cannot talk to https:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.*; is the API server running/,
    ],
    ['run -f missing.yaml', 2, /^tektite: missing\.yaml: there is no such file/],
    [
      'up --runtime podman --port 0 --in-memory',
      1,
      /^tektite: the program podman cannot be run; install it, or use another runtime/,
    ],
  ])('prints no stack trace: tektite %s', (command, expected, message) => {
    using scratch = new Scratch();
    writeFileSync(
      join(scratch.path, 'config'),
      JSON.stringify({
        clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:9' } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        users: [{ name: 'a', user: {} }],
        'current-context': 'a',
      }),
    );
    const { code, err } = shell(scratch, `export PATH=/nowhere; tektite ${command}`);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^ +at /m);
    expect(code).toBe(expected);
  });

  it('asks for another TMPDIR when it cannot write there', () => {
    using scratch = new Scratch();
    expect(shell(scratch, 'TMPDIR=/nowhere tektite run -f hello.yaml')).toMatchObject({
      code: 1,
      err: 'tektite: no temporary folder can be made in /nowhere: there is no such file; set TMPDIR to a folder that can be written\n',
    });
  });

  it.runIf(process.getuid?.() === 0 && works('unshare --mount true'))('says that a disk is full', () => {
    using scratch = new Scratch();
    const small = 'mount -t tmpfs -o size=300k tmpfs tmp && exec "$@"';
    const { code, err } = shell(
      scratch,
      `unshare --mount sh -c '${small}' sh ${process.execPath} ${bin} run -f hello.yaml`,
    );
    expect(err).toMatch(/^tektite: .*\/tmp\/tektite-.*: the disk is full; set TMPDIR to a folder with more room\n$/);
    expect(code).toBe(1);
  });

  it.runIf(process.getuid?.() === 0 && works('unshare --mount true'))(
    'says that a disk became full while a step wrote to it',
    () => {
      using scratch = new Scratch();
      const script = 'head -c 40000000 /dev/zero > /tmp/large; echo done';
      writeFileSync(join(scratch.path, 'large.yaml'), hello.replace(/script: ".*"/, `script: "${script}"`));
      const small = 'mount -t tmpfs -o size=12m tmpfs tmp && exec "$@"';
      const { err } = shell(scratch, `unshare --mount sh -c '${small}' sh ${process.execPath} ${bin} run large.yaml`);
      expect(err).toMatch(/^error: node: .*\.log: the disk is full; set TMPDIR to a folder with more room$/m);
    },
  );

  it('stops at once where the program that runs steps is not compiled', () => {
    using scratch = new Scratch();
    for (const part of ['package.json', 'bin', 'dist/tektite.js', 'dist/chunks'])
      cpSync(join(repository, 'apps/cli', part), join(scratch.path, 'cli', part), { recursive: true });
    const { code, out, err, left } = shell(scratch, `${process.execPath} cli/bin/tektite.js run hello.yaml`);
    expect(err).toMatch(/^tektite: The program that runs steps is not compiled .*install a C compiler/);
    expect({ code, out, left }).toEqual({ code: 1, out: '', left: [] });
  });

  it('says in a sentence that an old version of Node.js does not do', () => {
    using scratch = new Scratch();
    writeFileSync(
      join(scratch.path, 'old.cjs'),
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
    );
    const { code, err } = shell(scratch, `${process.execPath} --require ./old.cjs ${bin} run -f hello.yaml`);
    expect(err).toMatch(/^tektite needs Node\.js 20\.19 or later; this is 18\.20\.4 \(.*\)\.\n$/);
    expect(code).toBe(1);
  });
});

describe.runIf(entrypointProgram())('a machine that refuses namespaces', () => {
  const asRoot = 'setpriv --bounding-set -sys_admin --inh-caps -sys_admin';
  const asUser =
    'unshare --user --map-root-user sh -c \'echo 1 > /proc/sys/user/max_user_namespaces; exec unshare --user --map-user=1000 --map-group=1000 "$@"\' sh';

  it.each([
    ['root', asRoot, 'the kernel refuses namespaces and mounts to this process'],
    ['an ordinary user', asUser, 'containers of an ordinary user need user namespaces, and the kernel refuses them'],
  ])('lets %s know at once, and nothing is left', (who, wrapper, message) => {
    if (!works(`${wrapper} true`) || (who === 'root' && process.getuid?.() !== 0)) return;
    using scratch = new Scratch();
    const { code, out, err, left } = shell(scratch, `${wrapper} ${process.execPath} ${bin} run -f hello.yaml`);
    expect(err).toContain(`tektite: ${message}`);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect({ code, out, left }).toEqual({ code: 1, out: '', left: [] });
  });
});
