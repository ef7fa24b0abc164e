import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../test-support.ts';
import { stranger, usersHere } from './stranger.ts';

/** Names, times and spaces at the end of lines differ from run to run. */
const shape = (text: string) =>
  text
    // Strangers have no network.
    .replace(/^the image busybox is replaced by .*\n/m, '')
    .replaceAll(/hello-[a-z0-9]{5}/g, 'hello-NAME')
    .replaceAll(/\d+(?:\.\d+)? m?s\b/g, 'TIME')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();

const readme = readFileSync(join(repository, 'README.md'), 'utf8');
const [, command = '', shown = ''] = /^\$ npx (tektite run .*)\n([\s\S]*?)^```$/m.exec(readme) ?? [];

const intruder = `
apiVersion: tekton.dev/v1
kind: Task
metadata: { name: intruder }
spec:
  params: [{ name: home }]
  steps:
    - name: write
      image: busybox
      script: |
        for place in "$(params.home)" /etc /usr /var; do
          if ( echo x > "$place/intruder" ) 2>/dev/null && [ "$place" != "$(params.home)" ]; then echo "wrote $place"; fi
        done
        cat "$(params.home)/diary" 2>/dev/null || true
        echo "processes: $(ls -d /proc/[0-9]* | wc -l)"
`;

describe.each(usersHere())('the first screen of the README, for a user that is %s', (user) => {
  it('shows what a terminal shows', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal({ columns: 130, rows: 40 });
    terminal.type(`cd ${repository} && clear && echo in $(basename ${repository})`);
    // The shell repeats lines that are typed ahead of its prompt.
    await terminal.shows(new RegExp(`^in ${basename(repository)}\\s*$`, 'm'));
    terminal.type(`${command}; echo "exit code $?"`);
    const screen = await terminal.shows(/^exit code \d+/m);
    const [, seen = ''] = /\$ tektite run [^\n]*\n([\s\S]*)^exit code 0/m.exec(screen) ?? [];
    expect(shape(seen)).toBe(shape(shown));
  });

  it('is right that a step cannot write files, read the home or see processes, and leaves nothing', async () => {
    await using me = stranger({ user });
    const diary = me.write('diary', 'dear diary');
    const { code, out } = await me.tektite('run', me.write('intruder.yaml', intruder), '-p', `home=${me.home}`);
    expect(code).toBe(0);
    expect(out).not.toMatch(/wrote|dear diary/);
    const [, processes = ''] = /processes: (\d+)/.exec(out) ?? [];
    expect(Number(processes)).toBeLessThan(10);
    expect(readFileSync(diary, 'utf8')).toBe('dear diary');
    expect(existsSync(join(me.home, 'intruder'))).toBe(false);
    expect(existsSync('/etc/intruder')).toBe(false);
    expect(me.left()).toEqual([]);
  });
});
