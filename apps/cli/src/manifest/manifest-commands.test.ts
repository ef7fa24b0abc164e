import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

const settings = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: "${value}"}\n`;
const secret = '---\napiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: hunter2}\n';

describe('tektite render', () => {
  it('prints what sources say after all changes, without a cluster', () => {
    using scratch = new Scratch();
    writeFileSync(join(scratch.path, 'app.yaml'), settings('1'));
    const { code, out } = scratch.tektite(['render', '-f', 'app.yaml', '--into-namespace', 'ci', '--label', 'team=a']);
    expect(code).toBe(0);
    expect(out).toContain('namespace: ci');
    expect(out).toContain('team: a');
  });

  it('reports the position of an error, with exit code 2', () => {
    using scratch = new Scratch();
    writeFileSync(join(scratch.path, 'app.yaml'), `${settings('1')}---\nkind: [`);
    const { code, err } = scratch.tektite(['render', '-f', 'app.yaml']);
    expect(code).toBe(2);
    expect(err).toMatch(/^tektite: app\.yaml:\d+/);
    expect(err).not.toContain('    at ');
  });
});

describe('plan, apply, history, rollback, wait and delete', () => {
  it('lead a set through its life', async () => {
    using scratch = new Scratch();
    await using server = await scratch.up();
    const env = { KUBECONFIG: server.kubeconfig };
    const file = join(scratch.path, 'app.yaml');
    const run = (...args: string[]) => scratch.tektite(args, env);
    writeFileSync(file, settings('1') + secret);

    const plan = run('plan', '-f', 'app.yaml', '--set', 'app', '--full', '--out', 'plan.json');
    expect(plan).toMatchObject({ code: 2, out: expect.stringContaining('2 to create') as string });
    expect(plan.out).not.toContain('hunter2');
    expect(statSync(join(scratch.path, 'plan.json')).mode & 0o077).toBe(0);
    expect(run('apply', '--plan', 'plan.json').out).toContain('2 created');
    expect(run('apply', '--plan', 'plan.json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the cluster moved') as string,
    });
    expect(run('plan', '-f', 'app.yaml', '--set', 'app').code).toBe(0);

    writeFileSync(file, settings('2'));
    const lines = run('apply', '-f', 'app.yaml', '--set', 'app', '-o', 'json').out.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      event: 'ended',
      ok: true,
      configured: 1,
      pruned: 1,
      set: { revision: 2 },
    });
    expect(run('history', 'app').out).toMatch(
      /^REVISION {3}AGE +OBJECTS +CHANGES +SOURCES\n1 +\d+s +2 .*\n2 +\d+s +1 .*\n$/,
    );
    expect(run('history', 'app', '--show', '1').out).not.toContain('hunter2');
    // The Secret is deleted, and its value was never kept.
    expect(run('rollback', 'app').err).toContain('secret default/login');
    writeFileSync(file, settings('3'));
    expect(run('apply', '-f', 'app.yaml', '--set', 'app').code).toBe(0);
    expect(run('rollback', 'app', '--to', '2').out).toContain('revision 4');
    expect(run('plan', '-f', 'app.yaml', '--set', 'app').out).toContain('-   a: "2"');

    expect(run('wait', '-f', 'app.yaml').code).toBe(0);
    const health = join(scratch.path, 'health.yaml');
    const check = (current: string) =>
      `- {apiVersion: v1, kind: ConfigMap, current: "${current}", failed: "data.a == '7'"}\n`;
    writeFileSync(health, check("data.a == '2'"));
    expect(run('wait', '-f', 'app.yaml', '--health', 'health.yaml', '--timeout', '20s').code).toBe(0);
    writeFileSync(health, check("data.a == '3'"));
    expect(run('wait', '-f', 'app.yaml', '--health', 'health.yaml', '--timeout', '1s')).toMatchObject({
      code: 1,
      err: expect.stringContaining("not yet: data.a == '3'") as string,
    });
    writeFileSync(health, check('data.a =='));
    expect(run('wait', '-f', 'app.yaml', '--health', 'health.yaml')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--health: health.yaml: the expression current') as string,
    });
    expect(run('delete', '-f', 'app.yaml').out).toContain('1 deleted');
    expect(run('wait', '-f', 'app.yaml', '--for', 'gone').code).toBe(0);
    expect(run('apply').code).toBe(2);
  }, 120_000);
});

const releases = join(repository, '../shared/data/payload/tekton-pipeline');
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!existsSync(releases) || !hasKubectl)(
  'the Tekton release (from ../shared, skipped where that or kubectl is absent)',
  () => {
    it('is the same after an installation and an upgrade, whether by kubectl or by tektite', async () => {
      const states: string[][] = [];
      for (const tool of ['kubectl', 'tektite']) {
        using scratch = new Scratch();
        await using server = await scratch.up();
        const env = { KUBECONFIG: server.kubeconfig };
        const kubectl = (...args: string[]) =>
          spawnSync('kubectl', args, {
            encoding: 'utf8',
            maxBuffer: 1e8,
            env: { PATH: process.env['PATH'], HOME: scratch.path, ...env },
          });
        const files = ['v1.14.1', 'v1.15.0'].map((version) => join(releases, version, 'release.yaml'));
        for (const file of files) {
          const done = tool === 'kubectl' ? kubectl('apply', '-f', file) : scratch.tektite(['apply', '-f', file], env);
          expect('code' in done ? done.code : done.status).toBe(0);
        }
        const { items } = JSON.parse(kubectl('get', '-f', files[1] as string, '-o', 'json').stdout) as {
          items: Live[];
        };
        states.push(items.map(shown));
      }
      expect(states[1]).toEqual(states[0]);
      expect(states[0]).toHaveLength(75);
    }, 120_000);
  },
);

interface Live {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** An object without what the server or a tool wrote for itself. */
function shown({ status: _, metadata, ...rest }: Live): string {
  const { name, namespace, labels, annotations } = metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': __, ...own } = (annotations ?? {}) as Record<
    string,
    unknown
  >;
  const text = JSON.stringify({ ...rest, metadata: { name, namespace, labels, own } }, (key, value: unknown) =>
    // Addresses are the server's choice.
    key === 'clusterIP' || key === 'clusterIPs' ? undefined : value,
  );
  return text;
}
