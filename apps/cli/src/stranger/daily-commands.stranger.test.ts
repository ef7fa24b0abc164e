import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../test-support.ts';
import { stranger, type Stranger, usersHere } from './stranger.ts';

const hello = join(repository, 'examples/pipelines/hello.yaml');

const slow = `
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: { name: slow, labels: { team: web } }
spec:
  taskSpec:
    steps:
      - { name: first, image: busybox, script: echo one }
      - { name: second, image: busybox, script: 'echo two; while [ ! -e /workspace/end/now ]; do sleep 0.1; done' }
    workspaces: [{ name: end }]
  workspaces: [{ name: end, emptyDir: {} }]
`;

async function up(me: Stranger) {
  const plane = me.spawn(['tektite', 'up', '--port', '0', '--systems', 'pipelines']);
  await plane.said(/Ctrl-C/);
  return plane;
}

describe.each(usersHere('ordinary'))('a user that is %s', (user) => {
  it('lists, reads, repeats and deletes runs', async () => {
    await using me = stranger({ user });
    await using plane = await up(me);
    const env = { KUBECONFIG: join(me.home, '.tektite/kubeconfig') };
    expect(await me.tektite('list')).toMatchObject({ code: 0, out: '', err: 'No runs found in namespace default.\n' });
    const first = await me.tektite('run', '-f', hello, '--kubeconfig', env.KUBECONFIG);
    expect(first).toMatchObject({ code: 0 });
    const listed = await me.tektite('list');
    expect(listed.out).toMatch(/^KIND +NAME +STATUS +AGE +DURATION\nPipelineRun +hello-\w+ +Succeeded +\d+s +\d+s\n$/);
    expect((await me.tektite('list', '--status', 'failed')).out).toBe('');
    expect((await me.tektite('list', '-A', '-o', 'wide')).out).toMatch(
      /^default .* Pipeline hello +Tasks Completed: 3/m,
    );
    expect((await me.tektite('list', '--tasks', '--limit', '2', '-o', 'name')).out.split('\n')).toHaveLength(3);
    expect(JSON.parse((await me.tektite('list', '-o', 'json')).out)).toMatchObject({ kind: 'List', items: [{}] });
    expect((await me.tektite('logs', '--last', '--task', 'say')).out).toBe(
      '[say : speak] Hello, world!\n[say : speak] ✓\n',
    );
    expect(await me.tektite('logs', '--last', '--task', 'sya')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^tektite: --task: hello-\w+ has no task "sya"; it has greet, say, bye\n$/),
    });
    const piped = await me.sh('tektite logs --last | head -1; echo ${PIPESTATUS[0]}');
    expect(piped).toMatchObject({ out: expect.stringMatching(/^PipelineRun hello-\w+\n(0|141)\n$/), err: '' });
    expect((await me.tektite('logs', '--last', '--task', 'say', '--since', '1h')).out).toContain('Hello, world!');
    expect((await me.tektite('logs', '--last', '--task', 'say', '--since', '1ms')).out).not.toContain('Hello, world!');
    expect(await me.tektite('run', hello, '--timeout', 'abc')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--timeout'),
    });
    expect((await me.tektite('describe', '--last')).out).toMatch(/runs +Pipeline hello/);
    expect((await me.tektite('rerun', '--last', '-p', 'who=again')).out).toContain('greeting = Hello, again!');
    expect((await me.tektite('delete', 'run', '--last')).out).toMatch(/^PipelineRun hello-\w+ deleted\n$/);
    expect((await me.tektite('delete', 'run', '--completed')).out).toMatch(/^PipelineRun hello-\w+ deleted\n$/);
    expect((await me.tektite('list')).out).toBe('');
    expect(plane.output).not.toMatch(/internal error/);
  });

  it('prints the logs that a run has so far, and follows it on request', async () => {
    await using me = stranger({ user });
    await using _ = await up(me);
    const run = me.spawn(['tektite', 'run', '--kubeconfig', '.tektite/kubeconfig', '-f', me.write('slow.yaml', slow)]);
    await run.said(/two/);
    const soFar = await me.tektite('logs', 'slow');
    expect(soFar).toMatchObject({ code: 0, out: 'TaskRun slow\n[first] one\n[first] ✓\n[second] two\n' });
    expect(soFar.err).toContain('TaskRun slow is still running; -f follows it');
    expect((await me.tektite('list', '--status', 'running', '-l', 'team=web')).out).toMatch(/slow +Running/);
    await using follow = me.spawn(['tektite', 'logs', '--last', '-f', '--step', 'second']);
    await follow.said(/\[second\] two/);
    expect(await me.tektite('cancel', '--last')).toMatchObject({
      code: 0,
      out: 'TaskRun slow: cancellation requested\n',
    });
    await follow.ended();
    expect(await run.ended()).toBe(1);
  });
});

describe.each(usersHere('root', 'ordinary'))('a user that is %s', (user) => {
  it('sees what runs on the machine and stops it', async () => {
    await using me = stranger({ user });
    expect(await me.tektite('status')).toMatchObject({
      code: 1,
      out: expect.stringContaining('No control plane runs'),
    });
    await using plane = await up(me);
    const { code, out } = await me.tektite('status');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/systems +pipelines\n/) });
    expect(out).toContain(`${plane.pid}, started`);
    expect((await me.tektite('version')).out).toMatch(
      /^tektite +\d.*\nnode +v\d.*\nserver +v1\.36\.\d.* at https:\S+\n$/,
    );
    const stopped = await me.tektite('stop');
    expect(stopped).toMatchObject({ code: 0, out: expect.stringContaining(`(process ${plane.pid})`) });
    expect(await plane.ended(5000)).toBe(0);
    expect(await me.tektite('stop')).toMatchObject({ code: 0, out: expect.stringContaining('No control plane runs') });
    expect((await me.tektite('version')).out).toMatch(/server +none is reachable: /);
  });

  it('takes a control plane that was killed for one that does not run', async () => {
    await using me = stranger({ user });
    await using plane = me.spawn(['tektite', 'up', '--port', '0', '--runtime', 'none']);
    await plane.said(/Ctrl-C/);
    for (const command of [['list'], ['logs', 'x'], ['describe', '--last'], ['rerun', 'x'], ['delete', 'run', 'x']])
      expect(await me.tektite(...command)).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /^tektite: the server does not serve PipelineRuns: start it with .*--systems pipelines.*\n$/,
        ),
      });
    plane.kill('SIGKILL');
    await plane.ended();
    expect(await me.tektite('status')).toMatchObject({
      code: 1,
      out: expect.stringContaining('No control plane runs'),
    });
    expect(await me.tektite('stop')).toMatchObject({ code: 0, out: expect.stringContaining('No control plane runs') });
    await using again = me.spawn(['tektite', 'up', '--port', '0', '--runtime', 'none']);
    await again.said(/Ctrl-C/);
    expect((await me.tektite('status')).code).toBe(0);
  });
});
