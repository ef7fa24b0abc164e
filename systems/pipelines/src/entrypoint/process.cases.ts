import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, type Lane, Place } from './test-support.ts';

const script = (text: string): string[] => ['sh', '-c', text];

/** Waiting, the process of the step, its streams and its signals. */
export function processCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
  });
  afterEach(() => place.remove());

  const waitFor = (file: string) => ['-wait_file', place.path(file)];
  const isAlive = (pid: number) => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  test('a step starts when the one before has ended, without waiting for the next poll', async () => {
    place.write('/tekton/run/9/other');
    const { finished } = place.startStep(waitFor('/tekton/run/9/out'), script('echo on'));
    await sleep(150);
    const before = performance.now();
    place.write('/tekton/run/9/out');
    expect((await finished).stdout).toBe('on\n');
    expect(performance.now() - before).toBeLessThan(800);
  });

  test('a step waits for files in folders that are not there yet, and for all of them', async () => {
    const files = `${place.path('/late/one')},${place.path('/late/two')}`;
    const { finished } = place.startStep(['-wait_file', files], script('echo on'));
    await sleep(100);
    place.write('/late/two');
    await sleep(100);
    place.write('/late/one');
    expect((await finished).stdout).toBe('on\n');
  });

  test('the first step waits for the content of the annotation, which arrives by a renamed link', async () => {
    place.write('/tekton/downward/..1/ready');
    place.write('/tekton/downward/..2/ready', 'READY');
    symlinkSync('..1', place.path('/tekton/downward/..data'));
    symlinkSync('..data/ready', place.path('/tekton/downward/ready'));
    const { finished, process } = place.startStep(
      [...waitFor('/tekton/downward/ready'), '-wait_file_content'],
      script('echo on'),
    );
    await sleep(150);
    expect(process.exitCode).toBe(null);
    symlinkSync('..2', place.path('/tekton/downward/..next'));
    const before = performance.now();
    renameSync(place.path('/tekton/downward/..next'), place.path('/tekton/downward/..data'));
    expect((await finished).stdout).toBe('on\n');
    expect(performance.now() - before).toBeLessThan(800);
  });

  test('an unreadable file fails the step and those behind it', async () => {
    place.write('/file');
    const { code, stderr } = await place.step(waitFor('/file/out'), script('echo never'));
    const path = place.path('/file/out');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `{time} Error executing command: waiting for "${path}": stat ${path}: not a directory\n`,
    });
    expect(place.has('/tekton/run/0/out.err')).toBe(true);
    expect(place.extras()).toEqual([]);
  });

  test('the command has arguments as given, nothing to read, and a separate process group', async () => {
    const { stdout } = await place.step(
      [],
      ['sh', '-c', 'printf "[%s]" "$@"; cat; ps -o pgid= -p $$; echo $$', 'x', 'a b', '', '--', '$HOME'],
    );
    const [, group, pid] = /^\[a b\]\[\]\[--\]\[\$HOME\]\s*(\d+)\n(\d+)\n$/.exec(stdout) ?? [];
    expect(group).toBe(pid);
    expect(group).toBeDefined();
  });

  test('signals reach all processes of the command, and its end decides', async () => {
    const { process, finished } = place.startStep(
      [],
      script(
        'sh -c "trap \'echo child; exit\' TERM; echo ready; while :; do sleep 0.02; done" & trap "echo parent; wait; exit 4" TERM; wait; wait',
      ),
    );
    let ready = false;
    process.stdout?.on('data', () => (ready = true));
    await eventually(() => ready);
    process.kill('SIGTERM');
    const { code, stdout } = await finished;
    expect(code).toBe(4);
    expect(
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .sort(),
    ).toEqual(['child', 'parent', 'ready']);
    expect(place.has('/tekton/run/0/out.err')).toBe(true);
  });

  test('a timeout ends the children of the command too', async () => {
    await place.step(['-timeout', '200ms'], script(`sleep 30 & echo $! > ${place.path('/pid')}; wait`));
    const pid = Number(place.read('/pid'));
    await eventually(() => !isAlive(pid));
  });

  test('a run that is cancelled while the step runs ends it at once', async () => {
    const { finished } = place.startStep([], script(`touch ${place.path('/started')}; sleep 30`));
    await eventually(() => place.has('/started'));
    const before = performance.now();
    place.write('/tekton/downward/cancel', 'CANCEL');
    expect((await finished).code).toBe(9);
    expect(performance.now() - before).toBeLessThan(800);
    expect(place.read('/tekton/run/0/status/exitCode')).toBe('killed');
  });

  test('an empty file for cancelling does not cancel', async () => {
    place.write('/tekton/downward/cancel');
    expect((await place.step([], script('exit 0'))).code).toBe(0);
  });

  test('output is copied to files, which are appended to', async () => {
    place.write('/logs/out', 'before\n');
    const flags = ['-stdout_path', place.path('/logs/out'), '-stderr_path', place.path('/new/folder/err')];
    const { stdout, stderr } = await place.step(flags, script('echo one; echo two >&2'));
    expect({ stdout, stderr }).toEqual({ stdout: 'one\n', stderr: 'two\n' });
    expect(place.read('/logs/out')).toBe('before\none\n');
    expect(place.read('/new/folder/err')).toBe('two\n');
  });

  test('both streams can be copied to one file', async () => {
    const path = place.path('/both');
    await place.step(['-stdout_path', path, '-stderr_path', path], script('echo one; sleep 0.1; echo two >&2'));
    expect(place.read('/both')).toBe('one\ntwo\n');
  });

  test('much output is copied completely, also from a process that outlives the command', async () => {
    const { stdout } = await place.step(
      ['-stdout_path', place.path('/log')],
      script('head -c 3000000 /dev/zero | tr "\\0" x; (sleep 0.3; echo end) &'),
    );
    expect(stdout).toBe(`${'x'.repeat(3_000_000)}end\n`);
    expect(place.read('/log')).toBe(stdout);
  });

  test('a timeout ends a step whose output is not read', async () => {
    const { process } = place.startStep(
      ['-stdout_path', place.path('/log'), '-timeout', '300ms'],
      script('while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'),
    );
    process.stdout?.pause();
    await eventually(() => place.has('/tekton/termination'));
    expect(place.extras()).toEqual([{ key: 'Reason', value: 'TimeoutExceeded', type: 3 }]);
    process.stdout?.resume();
  });

  test('a file that cannot be opened for output fails the step before it starts', async () => {
    place.write('/file');
    const { code, stderr } = await place.step(['-stdout_path', place.path('/file/log')], script('echo never'));
    expect(code).toBe(1);
    expect(stderr).toContain('Error executing command: error creating parent directory: mkdir ');
  });

  test('a step without a command runs that of its image for this platform', async () => {
    const platform =
      execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim() === 'aarch64' ? 'linux/arm64' : 'linux/amd64';
    const env = {
      TEKTON_PLATFORM_COMMANDS: JSON.stringify({ [platform]: ['echo', 'image'], 'linux/other': ['false'] }),
    };
    expect((await place.step([], ['', 'more'], { env })).stdout).toBe('image more\n');
  });

  test.each([
    [undefined, 'unexpected end of JSON input'],
    ['{"linux/other":["x"]}', /^could not find command for platform "linux\/\w+(\/v8)?"$/],
    ['{]', "invalid character ']' looking for beginning of object key string"],
    ['["x"]', 'json: cannot unmarshal array into Go value of type map[string][]string'],
  ])('commands of an image that are no use are fatal: %s', async (commands, message) => {
    const env = commands === undefined ? undefined : { TEKTON_PLATFORM_COMMANDS: commands };
    const { code, stderr } = await place.step([], [''], env === undefined ? {} : { env });
    expect(code).toBe(1);
    expect(stderr.replace('{time} ', '').trimEnd()).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test('a hermetic step has no network, or does not run at all', async () => {
    const { code, stdout, stderr } = await place.step([], script('tail -n +3 /proc/net/dev | cut -d: -f1'), {
      env: { TEKTON_HERMETIC: '1' },
    });
    if (code === 0) expect(stdout.trim()).toBe('lo');
    else
      expect({ stdout, stderr }).toEqual({
        stdout: '',
        stderr: expect.stringMatching(/fork\/exec \S+: (operation not permitted|permission denied|invalid argument)/),
      });
  });

  test('files that were made for a step can be read by others', async () => {
    await place.step(['-stdout_path', place.path('/log')], script('true'));
    expect(statSync(place.path('/log')).mode & 0o777).toBe(0o644);
    expect(statSync(place.path('/tekton/run/0/out')).mode & 0o777).toBe(0o644);
  });

  test('the wrong flag shows the usage and ends with 2, as Go does', async () => {
    writeFileSync(place.path('/x'), '');
    for (const [args, message] of [
      [['-no_such_flag'], 'flag provided but not defined: -no_such_flag\n'],
      [['-timeout', 'soon'], 'invalid value "soon" for flag -timeout: parse error\n'],
      [['-wait_file_content=maybe'], 'invalid boolean value "maybe" for -wait_file_content: parse error\n'],
      [['-post_file'], 'flag needs an argument: -post_file\n'],
      [['---x'], 'bad flag syntax: ---x\n'],
      [['-basic-git', 'x'], 'invalid value "x" for flag -basic-git: expect entries of the form secret=url, got: x\n'],
    ] as const) {
      const { code, stderr } = await place.run(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/Usage of entrypoint:\n {2}-basic-docker value\n/);
      expect(stderr.startsWith(message)).toBe(true);
    }
    expect((await place.run(['-help'])).code).toBe(0);
  });
}
