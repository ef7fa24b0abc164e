import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

const task = (script: string) =>
  `apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: r}\nspec: {taskSpec: {steps: [{name: s, image: bash, script: "${script}"}]}}\n`;

describe.each(usersHere())('a run of a user that is %s', (user) => {
  it.each([
    ['succeeds', task('echo fine'), 0],
    ['fails', task('exit 7'), 1],
    ['has an error in its file', task('echo').replace('script', 'scrip'), 2],
  ])('that %s has its exit code, and leaves nothing', async (_title, text, expected) => {
    await using me = stranger({ user });
    const { code, err } = await me.tektite('run', me.write('r.yaml', text));
    expect({ code, err }).toMatchObject({ code: expected, err: expect.not.stringMatching(/^ +at /m) });
    expect(me.left()).toEqual([]);
  });

  it('ends with 130 at Ctrl-C, and leaves nothing', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal();
    terminal.type(`tektite run ${me.write('slow.yaml', task('echo ready; sleep 600'))}; echo "exit code $?"`);
    await terminal.shows(/\[s\] ready/);
    terminal.keys('C-c');
    expect(await terminal.shows(/^exit code \d+/m)).toContain('\nexit code 130');
    expect(me.left()).toEqual([]);
  });

  it('ends quietly when the reader of its output closes the pipe', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal();
    const lines = task('for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.1; done');
    terminal.type(
      `tektite run ${me.write('lines.yaml', lines)} 2>/dev/null | head -1; echo "exit codes \${PIPESTATUS[*]}"`,
    );
    expect(await terminal.shows(/exit codes \d+/)).toMatch(/^TaskRun r\s*\nexit codes 141 0/m);
    expect(me.left()).toEqual([]);
  });
});
