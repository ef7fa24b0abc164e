import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../test-support.ts';
import { stranger, usersHere } from './stranger.ts';

const hello = join(repository, 'examples/pipelines/hello.yaml');

const wants = `
apiVersion: tekton.dev/v1
kind: Task
metadata: { name: wants }
spec:
  steps:
    - { name: build, image: 'golang:1.99', script: frobnicate --all }
    - { name: test, image: 'node:1', command: [node] }
    - { name: push, image: kaniko, command: [/kaniko/executor] }
`;

interface Check {
  readonly name: string;
  readonly status: string;
  readonly remedy?: string;
}

describe.each(usersHere())('doctor for a user that is %s', (user) => {
  it('finds everything that the first run needs, and a remedy for the rest', async () => {
    await using me = stranger({ user });
    const { code, out } = await me.tektite('doctor', '-o', 'json');
    const checks = JSON.parse(out) as Check[];
    expect(code).toBe(0);
    expect(checks.filter(({ status }) => status === 'missing')).toEqual([]);
    for (const { status, remedy } of checks) expect(remedy !== undefined).toBe(status !== 'ok');
    const ids = checks.find(({ name }) => name === 'subordinate ids');
    expect(ids?.status).toBe(user === 'plain' ? 'warning' : 'ok');
    expect(me.left()).toEqual([]);
  });

  it('names the programs of a file that this machine lacks', async () => {
    await using me = stranger({ user });
    const file = me.write('wants.yaml', wants);
    const { code, out } = await me.tektite('doctor', '--runtime', 'host', file);
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ program frobnicate +not found; wants\/build wants it$/m);
    expect(out).toMatch(
      /^✗ program \/kaniko\/executor .*\n +Run the image with --runtime images, or map it with --images FILE/m,
    );
    expect(out).toMatch(/^! program node +\d+\.\d+\.\d+ at \S+; the image of wants\/test has 1$/m);
    expect((await me.tektite('doctor', '-f', hello)).code).toBe(0);
    // Strangers have no network.
    const images = await me.tektite('doctor', file);
    expect(images).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ image node:1 .*not in the image store/m) });
  });
});

describe.each(usersHere('root'))('without CAP_SYS_ADMIN, as in a container without privileges', (user) => {
  const withoutRights = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'];

  it('doctor, run and up refuse with the same words, at once, and leave nothing', async () => {
    await using me = stranger({ user });
    const refused = /the kernel refuses namespaces and mounts to this process/;
    const doctor = await me.run([...withoutRights, 'tektite', 'doctor']);
    expect(doctor).toMatchObject({ code: 1, out: expect.stringMatching(refused) });
    for (const args of [
      ['run', '-f', hello],
      ['up', '--port', '0'],
    ]) {
      const { code, err } = await me.run([...withoutRights, 'tektite', ...args], { timeoutMs: 30_000 });
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(refused) });
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(me.left()).toEqual([]);
  });
});
