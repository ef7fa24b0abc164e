import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { stranger, usersHere } from './stranger.ts';

describe.each(usersHere('root', 'ordinary'))('tektite up for a user that is %s', (user) => {
  it('runs all built-in systems and names every address and the next commands', async () => {
    await using me = stranger({ user });
    await using up = me.spawn(['tektite', 'up', '--port', '0', '--systems', 'all']);
    await up.said(/Ctrl-C/);
    expect(up.out).toMatch(/^tektite serves the Kubernetes API at https:\/\/127\.0\.0\.1:\d+$/m);
    expect(up.out).toMatch(/^ {2}systems +pipelines, triggers, tekton-operator, connectors, byoh$/m);
    expect(up.out).toMatch(/^ {2}metrics +http:\/\/127\.0\.0\.1:\d+\/metrics$/m);
    expect(up.out).toMatch(/tektite run -f PIPELINE\.yaml --kubeconfig \S+\/\.tektite\/kubeconfig/);
    const [, kubeconfig = ''] = /^ {2}kubeconfig +(\S+)$/m.exec(up.out) ?? [];
    expect(JSON.parse((await me.tektite('status', '-o', 'json')).out)).toMatchObject([{ kubeconfig }]);
    up.kill('SIGTERM');
    expect(await up.ended()).toBe(0);
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

it.skipIf(!hasKubectl)('kubectl explain describes the fields of runs', async () => {
  await using me = stranger({ user: usersHere('ordinary')[0] ?? 'root' });
  await using up = me.spawn(['tektite', 'up', '--port', '0', '--runtime', 'none', '--systems', 'pipelines']);
  await up.said(/Ctrl-C/);
  const { code, out } = await me.sh('kubectl --kubeconfig .tektite/kubeconfig explain pipelinerun.spec');
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining('Values for the params of the Pipeline.'),
  });
  expect(out).not.toContain('<no description>');
});

describe('the help of up', () => {
  it('lists the systems and groups its options', async () => {
    await using me = stranger({ user: usersHere('ordinary')[0] ?? 'root' });
    const { code, out, milliseconds } = await me.tektite('up', '--help');
    expect(code).toBe(0);
    for (const heading of ['State and address:', 'Pods:', 'Systems:', 'API server:', 'Examples:'])
      expect(out).toContain(`\n${heading}\n`);
    expect(out).toMatch(/^ {2}tekton-operator +Tekton Operator: /m);
    expect(milliseconds).toBeLessThan(5000);
  });

  it('names the built-in systems when one is misspelt', async () => {
    await using me = stranger({ user: usersHere('ordinary')[0] ?? 'root' });
    const { code, err } = await me.tektite('up', '--systems', 'piplines');
    expect(code).toBe(2);
    expect(err).toMatch(/^tektite: --systems: there is no "piplines"; give one of all, .*pipelines.*\n$/);
  });
});
