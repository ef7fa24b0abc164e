import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** The folders in memory and the cgroups of a control plane whose own folder is this. */
function leftElsewhere(folder: string): readonly string[] {
  const hash = createHash('sha256').update(join(folder, 'node/runtime')).digest('hex').slice(0, 12);
  return ['/dev/shm', '/sys/fs/cgroup', '/sys/fs/cgroup/memory', '/sys/fs/cgroup/cpu']
    .map((place) => join(place, `tektite-host-${hash}`))
    .filter((path) => existsSync(path));
}

describe.each(usersHere())('what a run of a user that is %s leaves', (user) => {
  it('is nothing when its steps leave folders that cannot be written, as the module cache of Go', async () => {
    await using me = stranger({ user });
    const leave =
      'for d in /tmp /workspace $HOME; do mkdir -p $d/a/b; touch $d/a/b/f; chmod 555 $d/a/b $d/a; done; chmod 000 /tmp/a';
    const { code, err } = await me.tektite('run', me.write('r.yaml', task(leave)));
    expect({ code, err }).toMatchObject({ code: 0, err: expect.not.stringContaining('tektite:') });
    expect(me.left()).toEqual([]);
  });

  it('is nothing when its terminal is closed', async () => {
    await using me = stranger({ user });
    const running = me.spawn(['tektite', 'run', me.write('r.yaml', task('echo ready; sleep 600'))]);
    await running.said(/ready/);
    running.child.kill('SIGHUP');
    expect(await running.ended()).toBe(130);
    expect(me.left()).toEqual([]);
  });

  it('is removed by the next one when it was killed', async () => {
    await using me = stranger({ user });
    const slow = me.write('slow.yaml', task('echo ready; sleep 600'));
    const running = me.spawn(['tektite', 'run', slow]);
    await running.said(/ready/);
    running.child.kill('SIGKILL');
    await running.ended();
    const [folder = ''] = me.left();
    expect(leftElsewhere(join(me.temporary, folder))).not.toEqual([]);
    const { code } = await me.tektite('run', me.write('r.yaml', task('echo fine')));
    expect(code).toBe(0);
    expect([...me.left(), ...leftElsewhere(join(me.temporary, folder))]).toEqual([]);
  });

  it('is kept by the next one while it runs', async () => {
    await using me = stranger({ user });
    const running = me.spawn(['tektite', 'run', me.write('slow.yaml', task('echo ready; sleep 3; echo still here'))]);
    await running.said(/ready/);
    expect((await me.tektite('run', me.write('r.yaml', task('echo fine')))).code).toBe(0);
    await running.said(/still here/);
    expect(await running.ended()).toBe(0);
    expect(me.left()).toEqual([]);
  });
});
