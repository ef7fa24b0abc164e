import { chmodSync, copyFileSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type Lane, Place } from './test-support.ts';

/** Subcommands, and the other programs of Tekton's images that the same file can be. */
export function programCases(lane: () => Lane): void {
  let place: Place;
  beforeEach(() => {
    place = new Place(lane());
  });
  afterEach(() => place.remove());

  test('init copies the program, so that everybody can run it, and links the steps', async () => {
    const target = place.path('/bin');
    const { code, stderr } = await place.run(['init', lane().program, target, 'step-one', 'step-unnamed-1']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '{time} Entrypoint initialization\n' });
    expect(statSync(target).mode & 0o777).toBe(0o311);
    expect(readFileSync(target).equals(readFileSync(lane().program))).toBe(true);
    expect(readlinkSync(place.path('/tekton/steps/step-unnamed-1'))).toBe(place.path('/tekton/run/1/status'));
    expect(readlinkSync(place.path('/tekton/steps/0'))).toBe(place.path('/tekton/run/0/status'));
  });

  test('step-init may run twice', async () => {
    for (let times = 0; times < 2; times++) {
      const { code, stderr } = await place.run(['step-init', 'a']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '{time} Setup /step directories\n' });
    }
  });

  test('cp overwrites all of a longer file', async () => {
    const source = place.write('/source', 'short');
    const target = place.write('/target', 'much longer');
    const { stderr } = await place.run(['cp', source, target]);
    expect(stderr).toBe(`{time} Copied ${source} to ${target}\n`);
    expect(place.read('/target')).toBe('short');
  });

  test('cp of nothing is an error', async () => {
    const { code, stderr } = await place.run(['cp', '/no/such', place.path('/x')]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '{time} cp error: open /no/such: no such file or directory\n',
    });
  });

  test('decode-script restores any script and keeps its mode', async () => {
    const script = place.write('/script');
    chmodSync(script, 0o751);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const text = Buffer.from(bytes).toString('base64').replaceAll(/.{60}/g, '$&\r\n');
        place.write('/script', `${text}\n`);
        const { stderr } = await place.run(['decode-script', script]);
        expect(stderr).toBe(`{time} Decoded script ${script}\n`);
        expect(readFileSync(script).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(statSync(script).mode & 0o777).toBe(0o751);
  });

  test.each([
    ['a', 0],
    ['YWJj!', 4],
    ['YQ=', 3],
    ['YQ=a', 2],
    ['YQ==x', 4],
    ['=', 0],
    ['YWJj====', 4],
    ['YWJjYQ', 4],
  ])('decode-script refuses %j', async (text, position) => {
    const script = place.write('/script', text);
    const { code, stderr } = await place.run(['decode-script', script]);
    const twice = `error decoding script file "${script}": error decoding script file "${script}"`;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `{time} decode-script error: ${twice}: illegal base64 data at input byte ${position}\n`,
    });
    expect(place.read('/script')).toBe(text);
  });

  test('nop ends at once, or when a signal says so', async () => {
    expect(await place.run(['nop'])).toMatchObject({ code: 0, stderr: '{time} Exiting...\n' });
    const { process, finished } = place.start(['nop', 'tekton_run_indefinitely']);
    let log = '';
    process.stderr?.on('data', (text: string) => (log += text));
    await eventually(() => log.includes('Waiting'));
    process.kill('SIGTERM');
    expect(await finished).toMatchObject({
      code: 0,
      stderr: '{time} Waiting indefinitely...\n{time} received signal: terminated\n{time} Exiting...\n',
    });
  });

  test('the name by which the program is called chooses what it is', async () => {
    const link = place.path('/nop');
    symlinkSync(lane().program, link);
    const other = new Place({ ...lane(), program: link });
    expect((await other.run(['x'])).stderr).toBe('{time} Exiting...\n');
    other.remove();
  });

  test('workingdirinit makes relative folders and those of the workspace, and no others', async () => {
    mkdirSync(place.path('/workspace'));
    const { code } = await place.run(
      [
        'workingdirinit',
        'a/../b',
        place.path('/workspace/x/y'),
        place.path('/elsewhere'),
        place.path('/workspace/../up'),
      ],
      { cwd: place.path('/workspace') },
    );
    expect(code).toBe(0);
    const made = ['/workspace/b', '/workspace/a', '/workspace/x/y', '/elsewhere', '/up'].filter((path) =>
      place.has(path),
    );
    expect(made).toEqual(['/workspace/b', '/workspace/x/y']);
    expect(statSync(place.path('/workspace/x')).mode & 0o777).toBe(0o755);
    place.write('/workspace/file');
    expect((await place.run(['workingdirinit', place.path('/workspace/file/x')])).stderr).toMatch(
      /^\{time\} Failed to mkdir "/,
    );
  });

  describe('sidecarlogresults', () => {
    const lines = (text: string) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));

    beforeEach(() => {
      place.write('/tekton/run/0/status/x');
      place.write('/tekton/run/1/status/x');
      symlinkSync(place.path('/tekton/run/0/status'), place.path('/tekton/steps/step-a'));
    });

    test('prints results of task and steps when all steps are done', async () => {
      const { finished, process } = place.start([
        'sidecarlogresults',
        '-results-dir',
        place.path('/tekton/results'),
        '-result-names',
        'one,none,two',
        '-step-names',
        'step-a,step-b',
        '-step-results',
        '{"step-a":["r","none"]}',
      ]);
      place.write('/tekton/run/0/out');
      place.write('/tekton/results/one', '<1>\n');
      place.write('/tekton/results/two', '2');
      place.write('/tekton/run/0/status/results/r', 'mine');
      place.write(
        '/tekton/run/0/status/artifacts/provenance.json',
        '{"outputs":[{"buildOutput":true,"name":"n","x":1}],"inputs":[]}',
      );
      await sleep(150);
      expect(process.exitCode).toBe(null);
      place.write('/tekton/run/1/out');
      const { stdout, code } = await finished;
      expect(code).toBe(0);
      expect(stdout.split('\n')[0]).toBe('{"name":"one","value":"\\u003c1\\u003e\\n","type":"task"}');
      expect(lines(stdout).slice(1)).toEqual([
        { name: 'two', value: '2', type: 'task' },
        { name: 'step-a.r', value: 'mine', type: 'step' },
        { name: 'step-a', value: '{"outputs":[{"name":"n","buildOutput":true}]}', type: 'stepArtifact' },
      ]);
    });

    test('does not wait for the others when a step has failed', async () => {
      place.write('/tekton/results/one', '1');
      place.write('/tekton/run/0/out.err');
      const { stdout } = await place.run(['sidecarlogresults', '-result-names', 'one', '-step-results', '{}']);
      expect(lines(stdout)).toEqual([{ name: 'one', value: '1', type: 'task' }]);
    });

    test('stays until a signal as a native sidecar', async () => {
      place.write('/tekton/run/0/out');
      place.write('/tekton/run/1/out');
      place.write('/tekton/results/one', '1');
      const { process, finished } = place.start([
        'sidecarlogresults',
        '-result-names',
        'one',
        '-step-results',
        'null',
        '-kubernetes-sidecar-mode',
        'true',
      ]);
      let printed = false;
      process.stdout?.on('data', () => (printed = true));
      await eventually(() => printed);
      await sleep(50);
      expect(process.exitCode).toBe(null);
      process.kill('SIGTERM');
      expect((await finished).code).toBe(0);
    });

    test.each([
      [['-step-results', ''], 'unexpected end of JSON input'],
      [['-step-results', '[]'], 'json: cannot unmarshal array into Go value of type map[string][]string'],
    ])('%j is fatal', async (flags, message) => {
      const { code, stderr } = await place.run(['sidecarlogresults', ...flags]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: `{time} ${message}\n` });
    });
  });

  test('a copy that was made by cp runs', async () => {
    const copy = place.path('/copy');
    copyFileSync(lane().program, copy);
    expect((await new Place({ ...lane(), program: copy }).run(['nop'])).code).toBe(0);
  });
}
