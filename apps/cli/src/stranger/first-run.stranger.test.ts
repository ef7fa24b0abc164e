import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../test-support.ts';
import { stranger, usersHere } from './stranger.ts';

const hello = join(repository, 'examples/pipelines/hello.yaml');

describe.each(usersHere())('the first run of a user that is %s', (user) => {
  it('succeeds, prints results, and leaves no files', async () => {
    await using me = stranger({ user });
    const { code, out, err } = await me.tektite('run', '-f', hello, '-p', 'who=stranger');
    expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('greeting = Hello, stranger!') });
    expect(me.left()).toEqual([]);
  });

  it('shows the finished tree in a terminal, once', async () => {
    await using me = stranger({ user });
    const terminal = await me.terminal();
    terminal.type(`tektite run -f ${hello}; echo "exit code $?"`);
    const screen = await terminal.shows(/exit code \d/);
    expect(screen).toContain('exit code 0');
    expect(screen.match(/✓ greet/g)).toHaveLength(1);
    expect(me.left()).toEqual([]);
  });

  it('serves the Kubernetes API and stops on Ctrl-C', async () => {
    await using me = stranger({ user });
    await using up = me.spawn(['tektite', 'up', '--port', '0']);
    await up.said(/Ctrl-C/);
    up.kill('SIGINT');
    expect(await up.ended()).toBe(0);
    expect(me.left()).toEqual([]);
  });
});
