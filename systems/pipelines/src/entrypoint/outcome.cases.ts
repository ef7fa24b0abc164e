import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type Lane, Place } from './test-support.ts';

const script = (text: string): string[] => ['sh', '-c', text];
const internal = (key: string, value: string) => ({ key, value, type: 3 });
const tooLong = 'Termination message is above max allowed size 4096, caused by large task result.';

/** How a step can end, and what the others see of it. */
export function outcomeCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
  });
  afterEach(() => place.remove());

  interface Row {
    readonly title: string;
    readonly flags?: readonly string[];
    readonly command?: readonly string[];
    readonly before?: (place: Place) => void;
    readonly code: number;
    /** Names of post files that exist afterwards. */
    readonly posted: readonly string[];
    readonly exitCode?: string;
    readonly extras?: readonly object[];
    readonly log?: string;
    readonly stdout?: string;
  }

  const rows: Row[] = [
    { title: 'success', command: script('echo hi'), code: 0, posted: ['out'], exitCode: '0', stdout: 'hi\n' },
    { title: 'a failure', command: script('exit 7'), code: 7, posted: ['out.err'] },
    {
      title: 'a failure that may happen',
      flags: ['-on_error', 'continue'],
      command: script('exit 11'),
      code: 0,
      posted: ['out'],
      exitCode: '11',
      extras: [internal('ExitCode', '11')],
    },
    {
      title: 'a failure that must stop',
      flags: ['-on_error', 'stopAndFail'],
      command: script('exit 3'),
      code: 3,
      posted: ['out.err'],
    },
    { title: 'death by a signal', command: script('kill -9 $$'), code: 255, posted: ['out.err'] },
    {
      title: 'death by a signal that may happen',
      flags: ['-on_error=continue'],
      command: script('kill -9 $$'),
      code: 0,
      posted: ['out'],
      exitCode: '-1',
      extras: [internal('ExitCode', '-1')],
    },
    {
      title: 'a timeout',
      flags: ['-timeout', '50ms'],
      command: script('sleep 20'),
      code: 1,
      posted: ['out.err'],
      extras: [internal('Reason', 'TimeoutExceeded')],
      log: '{time} context deadline exceeded\n',
    },
    {
      title: 'a timeout of a step that may fail',
      flags: ['-timeout', '50ms', '-on_error', 'continue'],
      command: script('sleep 20'),
      code: 1,
      posted: ['out.err'],
      extras: [internal('Reason', 'TimeoutExceeded')],
      log: '{time} context deadline exceeded\n',
    },
    {
      title: 'a negative timeout',
      flags: ['-timeout', '-1s'],
      command: script('echo never'),
      code: 1,
      posted: ['out.err'],
      log: '{time} Error executing command: negative timeout specified\n',
    },
    {
      title: 'a cancelled run',
      before: (place) => place.write('/tekton/downward/cancel', 'CANCEL'),
      command: script('echo never'),
      code: 9,
      posted: ['out.err'],
      exitCode: 'killed',
      extras: [internal('Reason', 'Cancelled')],
      log: '{time} INFO Step was canceling\n{time} Step was cancelled\n',
    },
    {
      title: 'a program that is not in $PATH',
      command: ['no-such-program'],
      code: 1,
      posted: ['out.err'],
      log: '{time} Error executing command: exec: "no-such-program": executable file not found in $PATH\n',
    },
    {
      title: 'a program that is not there',
      command: ['/no/such/program'],
      flags: ['-on_error', 'continue'],
      code: 1,
      posted: ['out.err'],
      log: '{time} Error executing command: fork/exec /no/such/program: no such file or directory\n',
    },
    {
      title: 'a program that cannot be executed',
      command: ['/etc/passwd'],
      code: 1,
      posted: ['out.err'],
      log: '{time} Error executing command: fork/exec /etc/passwd: permission denied\n',
    },
    {
      title: 'a step before that failed',
      before: (place) => place.write('/tekton/run/9/out.err'),
      flags: ['-wait_file', '{root}/tekton/run/9/out'],
      command: script('echo never'),
      code: 1,
      posted: ['out.err'],
      extras: [internal('Reason', 'Skipped')],
      log: '{time} Skipping step because a previous step failed\n',
    },
    {
      title: 'a step before that failed, with a breakpoint on failure',
      before: (place) => place.write('/tekton/run/9/out.err'),
      flags: ['-breakpoint_on_failure', '-wait_file', '{root}/tekton/run/9/out'],
      command: script('echo on'),
      code: 0,
      posted: ['out'],
      exitCode: '0',
      stdout: 'on\n',
    },
    {
      title: 'when expressions that are false',
      flags: ['--when_expressions', '[{"input":"a","operator":"in","values":["b"]}]'],
      command: script('echo never'),
      code: 0,
      posted: ['out'],
      exitCode: '0',
      extras: [internal('Reason', 'Skipped')],
      log: '{time} INFO Step was skipped due to when expressions were evaluated to false.\n',
    },
    {
      title: 'the breakpoint before the step, left with failure',
      before: (place) => place.write('/tekton/run/0/out.beforestepexit.err'),
      flags: ['-debug_before_step'],
      command: script('echo never'),
      code: 1,
      posted: ['out.err'],
      log: [
        "{time} debug before step breakpoint has taken effect, waiting for user's decision:",
        '1) continue, use cmd: /tekton/debug/scripts/debug-beforestep-continue',
        '2) fail-continue, use cmd: /tekton/debug/scripts/debug-beforestep-fail-continue',
        '{time} error occurred while waiting for {root}/tekton/run/0/out.beforestepexit : before step breakpoint error file, user decided to skip the current step execution',
        '{time} Skipping execute step script because before step breakpoint fail-continue\n',
      ].join('\n'),
    },
    {
      title: 'results that are too long',
      before: (place) => place.write('/tekton/results/big', 'x'.repeat(5000)),
      flags: ['-results', 'big'],
      command: script('true'),
      code: 1,
      posted: ['out'],
      exitCode: '0',
      log: `{time} ERROR Error while substituting step artifacts: error="${tooLong}"\n{time} ${tooLong}\n`,
    },
    {
      title: 'results of more than a mebibyte',
      before: (place) => place.write('/tekton/results/big', Buffer.alloc(3_000_000, 'x')),
      flags: ['-results', 'big', '-compress_termination_message'],
      command: script('true'),
      code: 1,
      posted: ['out'],
      exitCode: '0',
      log: `{time} ERROR Error while substituting step artifacts: error="${tooLong}"\n{time} ${tooLong}\n`,
    },
    {
      title: 'SPIRE, which this program does not have',
      flags: ['-enable_spire'],
      command: script('echo never'),
      code: 1,
      posted: [],
      log: "{time} Error: this entrypoint cannot sign results with SPIRE. Set enforce-nonfalsifiability to none, or use upstream's entrypoint image.\n",
    },
  ];

  test('takes longer results where the node says that it does', async () => {
    place.write('/tekton/results/big', 'x'.repeat(50_000));
    const { code } = await place.step(['-results', 'big'], script('true'), {
      env: { TEKTITE_TERMINATION_MESSAGE_LIMIT: '65536' },
    });
    expect(code).toBe(0);
    expect(place.message()).toContainEqual({ key: 'big', value: 'x'.repeat(50_000), type: 1 });
  });

  test.each(['', '-1', '12', '65536x', '99999999999999999999'])('is not misled by a limit of "%s"', async (limit) => {
    place.write('/tekton/results/big', 'x'.repeat(5000));
    const { code } = await place.step(['-results', 'big'], script('true'), {
      env: { TEKTITE_TERMINATION_MESSAGE_LIMIT: limit },
    });
    expect(code).toBe(1);
  });

  test.each(rows)('ends with $title', async ({ title, before, flags = [], command = [], ...expected }) => {
    before?.(place);
    const filled = flags.map((flag) => flag.replaceAll('{root}', place.root));
    const { code, stdout, stderr } = await place.step(filled, command);
    expect({ code, stdout, stderr: stderr.replaceAll(place.root, '{root}') }).toEqual({
      code: expected.code,
      stdout: expected.stdout ?? '',
      stderr: expected.log ?? '',
    });
    expect(['out', 'out.err'].filter((name) => place.has(`/tekton/run/0/${name}`))).toEqual(expected.posted);
    const exitCode = '/tekton/run/0/status/exitCode';
    expect(place.has(exitCode) ? place.read(exitCode) : undefined).toBe(expected.exitCode);
    if (title.startsWith('SPIRE')) return;
    expect(place.extras()).toEqual(expected.extras ?? []);
    expect(place.message().find(({ key }) => key === 'StartedAt')?.value).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    );
  });

  test('a failed step with a breakpoint waits for the user and ends with the code that was chosen', async () => {
    const { finished } = place.startStep(['-breakpoint_on_failure'], script('echo x; exit 5'));
    await eventually(() => place.has('/tekton/termination'));
    place.write('/tekton/run/0/out.breakpointexit', '12\n');
    const { code, stdout, stderr } = await finished;
    expect({ code, stdout }).toEqual({ code: 12, stdout: 'x\n' });
    expect(stderr).toBe(
      [
        '{time} INFO Skipping writing to PostFile',
        "{time} debug onFailure breakpoint has taken effect, waiting for user's decision:",
        '1) continue, use cmd: /tekton/debug/scripts/debug-continue',
        '2) fail-continue, use cmd: /tekton/debug/scripts/debug-fail-continue',
        '{time} Breakpoint exiting with exit code 12\n',
      ].join('\n'),
    );
    expect(place.has('/tekton/run/0/out.err')).toBe(false);
    expect(place.extras()).toEqual([]);
  });

  test('a breakpoint that is left with something that is no number ends with 0', async () => {
    place.write('/tekton/run/0/out.breakpointexit', 'soon');
    expect((await place.step(['-breakpoint_on_failure'], script('exit 5'))).code).toBe(0);
  });

  test('the breakpoint before the step lets it go on', async () => {
    place.write('/tekton/run/0/out.beforestepexit');
    const { code, stdout } = await place.step(['-debug_before_step'], script('echo on'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'on\n' });
  });

  describe('results', () => {
    const results = ['-results', 'one,missing,two', '-step_results', 'mine'];
    const written = (place: Place) => {
      place.write('/tekton/results/one', 'hi\n');
      place.write('/tekton/results/two', '<&> " \\ \u2028 é \u0001\b');
      place.write('/tekton/run/0/status/results/mine', '["a"]');
    };

    test.each([
      { how: 'succeeded', command: script('true'), flags: [] },
      { how: 'failed', command: script('exit 1'), flags: [] },
      { how: 'took too long', command: script('sleep 9'), flags: ['-timeout', '30ms'] },
      { how: 'failed and may', command: script('exit 1'), flags: ['-on_error', 'continue'] },
    ])('are reported when the step $how', async ({ command, flags }) => {
      written(place);
      await place.step([...results, ...flags], command);
      expect(place.message().filter(({ type }) => type !== 3)).toEqual([
        { key: 'one', value: 'hi\n', type: 1 },
        { key: 'two', value: '<&> " \\ \u2028 é \u0001\b', type: 1 },
        { key: 'mine', value: '["a"]', type: 4 },
      ]);
    });

    test('are written the way Go writes JSON', async () => {
      written(place);
      await place.step(results, script('true'));
      expect(place.read('/tekton/termination').replace(/"\d{4}-[^"]*"/, '"{time}"')).toBe(
        '[{"key":"one","value":"hi\\n","type":1},' +
          '{"key":"two","value":"\\u003c\\u0026\\u003e \\" \\\\ \\u2028 é \\u0001\\b","type":1},' +
          '{"key":"mine","value":"[\\"a\\"]","type":4},{"key":"StartedAt","value":"{time}","type":3}]',
      );
    });

    test('are left to the sidecar when that reads them', async () => {
      written(place);
      place.write('/tekton/artifacts/provenance.json', '{}');
      await place.step([...results, '-result_from', 'sidecar-logs'], script('true'));
      expect(place.extras()).toEqual([]);
    });

    test('come with the artifacts of step and task', async () => {
      place.write('/tekton/run/0/status/artifacts/provenance.json', '{"inputs":[]}');
      place.write('/tekton/artifacts/provenance.json', '{"outputs":[]}');
      await place.step([], script('true'));
      expect(place.extras()).toEqual([
        { key: place.path('/tekton/run/0/status/artifacts/provenance.json'), value: '{"inputs":[]}', type: 5 },
        { key: place.path('/tekton/artifacts/provenance.json'), value: '{"outputs":[]}', type: 6 },
      ]);
    });

    test('that are folders fail the step after it has been announced', async () => {
      place.write('/tekton/results/folder/x');
      const { code, stderr } = await place.step(['-results', 'folder'], script('true'));
      const error = `read ${place.path('/tekton/results/folder')}: is a directory`;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `{time} ERROR Error while substituting step artifacts: error="${error}"\n{time} Error executing command: ${error}\n`,
      });
      expect(place.has('/tekton/run/0/out')).toBe(true);
    });

    test('are appended to what a termination message holds already', async () => {
      place.write(
        '/tekton/termination',
        '[{"Key":"old","value":"v","resourceName":"r","type":"TaskRunResult"},{"key":"x","value":"y","type":"?"}]',
      );
      await place.step(['-results', ''], script('true'));
      expect(place.extras()).toEqual([
        { key: 'old', value: 'v', resourceName: 'r', type: 1 },
        { key: 'x', value: 'y', type: 10 },
      ]);
    });

    test.each([
      { what: 'no JSON', content: 'nonsense' },
      { what: 'no array', content: '{"key":"x"}' },
      { what: 'other types', content: '[{"key":1}]' },
      { what: 'no objects', content: '[[]]' },
      { what: 'no whole number', content: '[{"key":"a","type":1.5}]' },
      { what: 'endless nesting', content: '['.repeat(100_000) },
      { what: 'an endless message', content: `${' '.repeat(2_000_000)}[]` },
    ])('take the place of a termination message that cannot be read: $what', async ({ content }) => {
      place.write('/tekton/termination', content);
      expect((await place.step([], script('true'))).code).toBe(0);
      expect(place.message()).toHaveLength(1);
    });
  });

  test('writes to folders that are not there yet, and into the current one without a metadata folder', async () => {
    const { code } = await place.run([
      '-post_file',
      place.path('/new/folder/out'),
      '-termination_path',
      place.path('/term'),
      '-entrypoint',
      'true',
      '--',
    ]);
    expect(code).toBe(0);
    expect(place.has('/new/folder/out')).toBe(true);
    expect(readFileSync(place.path('exitCode'), 'utf8')).toBe('0');
  });

  test('a termination message that cannot be written is fatal', async () => {
    const path = place.path('/no/such/folder');
    const { code, stderr } = await place.step(['-termination_path', path], script('true'));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `{time} Error while writing message: open ${path}: no such file or directory\n`,
    });
  });

  test('the time zone of the step shows in StartedAt', async () => {
    await place.step([], script('true'), { env: { TZ: 'XYZ-05:30' } });
    expect(place.message()[0]?.value).toMatch(/\.\d{3}\+05:30$/);
  });
}
