import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, openClient } from '@tektite/client';
import { parseYaml } from '@tektite/schema/yaml';
import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { eventually, memcached, repository, Scratch } from './test-support.ts';

const objectsIn = (text: string) =>
  parseYaml(text).map(({ value }) => value as { kind: string; metadata: { name: string; namespace?: string } });

describe('tektite crds', () => {
  it('prints definitions that the server takes, as YAML and as JSON', async () => {
    using scratch = new Scratch();
    const { code, out, err } = scratch.tektite(['crds', '--systems', memcached]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [definition] = objectsIn(out);
    expect(definition?.metadata.name).toBe('memcacheds.cache.example.com');
    const json = JSON.parse(scratch.tektite(['crds', '--systems', memcached, '-o', 'json']).out);
    expect(json).toEqual({ apiVersion: 'v1', kind: 'List', items: [definition] });
    await using up = await scratch.up();
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    await client.create(kinds.CustomResourceDefinition, definition as never);
  });

  it('says whether a file is up to date, and how to mend it', () => {
    using scratch = new Scratch();
    const file = join(scratch.path, 'crds.yaml');
    const { out } = scratch.tektite(['crds', '--systems', memcached]);
    writeFileSync(file, out);
    const check = () => scratch.tektite(['crds', '--systems', memcached, '--check', file]);
    expect(check()).toEqual({ code: 0, out: `${file} is up to date\n`, err: '' });
    writeFileSync(file, out.replace('Memcached', 'Cached'));
    const command = `tektite crds --systems ${memcached} > ${file}`;
    expect(check()).toEqual({
      code: 1,
      out: '',
      err: `tektite: ${file} is out of date; update it with: ${command}\n`,
    });
    const missing = scratch.tektite(['crds', '--systems', memcached, '--check', 'none.yaml']);
    expect(missing.err).toBe('tektite: --check: none.yaml: there is no such file\n');
    expect(scratch.tektite(['crds', '--systems', memcached, '-o', 'xml']).err).toBe(
      'tektite: -o must be yaml or json, not "xml"\n',
    );
  });

  it.each([
    ['export const nothing = 1;', /exports no `system`; see examples\/memcached-operator/],
    ['export const system = { name: "x" };', /exports no `system`/],
    ['throw new Error("boom");', /cannot be loaded: boom/],
    ['export const = ;', /cannot be loaded: /],
  ])('says what is wrong with a system: %s', (source, message) => {
    using scratch = new Scratch();
    writeFileSync(join(scratch.path, 'system.mjs'), source);
    const { code, err } = scratch.tektite(['crds', '--systems', './system.mjs']);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('says so of a folder that is no package, or is not built', () => {
    using scratch = new Scratch();
    const folder = join(scratch.path, 'mine');
    mkdirSync(folder);
    const said = () => scratch.tektite(['crds', '--systems', './mine']);
    expect(said()).toMatchObject({ code: 2, err: 'tektite: --systems: ./mine has no package.json; name the file\n' });
    writeFileSync(join(folder, 'package.json'), '{');
    expect(said().err).toMatch(/^tektite: --systems: \.\/mine has a bad package\.json: .*\n$/);
    writeFileSync(join(folder, 'package.json'), '{"main":"dist/index.js"}');
    expect(said()).toMatchObject({
      code: 2,
      err: `tektite: --systems: ./mine has no ${folder}/dist/index.js; is it built? Try npm run build there\n`,
    });
  });
});

describe('tektite migrate-storage', () => {
  it('rewrites objects after an upgrade, and before a downgrade, and says what it did', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    const version = (name: string, storage: boolean) => {
      const schema = { openAPIV3Schema: { type: 'object' } };
      return { name, storage, served: true, schema };
    };
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [version('v1beta1', true)],
      },
    };
    const apply = (...versions: object[]) =>
      client.apply(kinds.CustomResourceDefinition, { ...definition, spec: { ...definition.spec, versions } } as never, {
        fieldManager: 'test',
        force: true,
      });
    await apply(version('v1beta1', true));
    const widget = { apiVersion: 'example.com/v1beta1', kind: 'Widget', metadata: { namespace: 'default', name: 'a' } };
    await vi.waitFor(() => client.create(widget));
    const migrate = (...args: string[]) => scratch.tektite(['migrate-storage', ...args, '--kubeconfig', up.kubeconfig]);
    const nothing = 'nothing to migrate: objects are stored in one version each\n';
    expect(migrate('widgets.example.com')).toEqual({ code: 0, out: nothing, err: '' });

    await apply(version('v1beta1', false), version('v1', true));
    const done = 'widgets.example.com: 1 object is stored as v1, nothing is stored as v1beta1\n';
    expect(migrate('widgets.example.com')).toEqual({ code: 0, out: done, err: '' });
    await apply(version('v1', true));
    expect((await client.get({ ...widget, apiVersion: 'example.com/v1' }, widget.metadata)).metadata.name).toBe('a');

    await apply(version('v1beta1', false), version('v1', true));
    expect(migrate('widgets.example.com', '--to', 'v1beta1').out).toBe(
      'widgets.example.com: 1 object is stored as v1beta1, nothing is stored as v1\n',
    );
    await apply(version('v1beta1', true));
    expect(migrate('--to', 'v2').err).toContain('--to: name the definitions');
    expect(migrate('widgets.example.com', '--to', 'v2').err).toContain('does not serve v2; it serves v1beta1');
    expect(migrate('wheels.example.com').err).toContain('there is no definition wheels.example.com');
    expect(migrate()).toEqual({ code: 0, out: nothing, err: '' });
  });
});

describe('tektite rbac', () => {
  it('prints an account, its roles and bindings, with which the operator can do its work', {
    timeout: 40_000,
  }, async () => {
    using scratch = new Scratch();
    const flags = ['--system-namespace', 'ops', '--service-account', 'cache-operator', '--webhook-service', 'hook'];
    const { code, out, err } = scratch.tektite(['rbac', '--systems', memcached, ...flags]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const objects = objectsIn(out);
    expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ['ServiceAccount', 'ops', 'cache-operator'],
      ['ClusterRole', undefined, 'tektite-memcached'],
      ['ClusterRoleBinding', undefined, 'tektite-memcached'],
      ['Role', 'ops', 'tektite-memcached'],
      ['RoleBinding', 'ops', 'tektite-memcached'],
    ]);
    const tokens = join(scratch.path, 'tokens.csv');
    writeFileSync(tokens, 'secret,system:serviceaccount:ops:cache-operator,1,"system:serviceaccounts"\n');
    await using up = await scratch.up('--token-auth-file', tokens);
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    await client.create(kinds.Namespace, { metadata: { name: 'ops' } });
    for (const object of objects) await client.create(object as never);
    const [definition] = objectsIn(scratch.tektite(['crds', '--systems', memcached]).out);
    await client.create(kinds.CustomResourceDefinition, definition as never);
    await client.create(kinds.Namespace, { metadata: { name: 'team-a' } });

    const limited = join(scratch.path, 'limited');
    const text = readFileSync(up.kubeconfig, 'utf8');
    writeFileSync(limited, text.replace(/client-certificate-data: .*\n\s*client-key-data: .*/, 'token: secret'));
    const args = ['--systems', memcached, '--kubeconfig', limited, '--no-install', '--system-namespace', 'ops'];
    const more = [
      '--status-address',
      '127.0.0.1:0',
      '--webhook-service',
      'hook',
      '--webhook-url',
      'https://127.0.0.1:1',
    ];
    await using running = await scratch.start(
      ['controller', ...args, ...more, '--webhook-port', '0'],
      /"msg":"running"/,
    );
    const webhooks = await client.list(kinds.ValidatingWebhookConfiguration);
    expect(webhooks.items).toHaveLength(1);
    for (const kind of [kinds.ValidatingWebhookConfiguration, kinds.MutatingWebhookConfiguration])
      await client.deleteCollection(kind);
    const Memcached = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' };
    const key = { namespace: 'team-a', name: 'a' };
    await client.create(Memcached, { metadata: key, spec: { size: 2 } } as never);
    const status = async () => (await client.get(Memcached, key))['status'] as { conditions: unknown[] } | undefined;
    await eventually(async () => (await status())?.conditions?.length).toBe(1);
    await client.delete(Memcached, key);
    await eventually(async () => (await client.list(Memcached)).items.length).toBe(0);
    expect((await running.stop()).code).toBe(0);
    expect(running.output).not.toMatch(/forbidden|"level":"(warn|error)"/);
  });

  it('says whether a file is up to date, and how to mend it', () => {
    using scratch = new Scratch();
    const flags = ['--systems', memcached, '--system-namespace', 'ops'];
    const file = join(scratch.path, 'rbac.yaml');
    writeFileSync(file, scratch.tektite(['rbac', ...flags]).out);
    expect(scratch.tektite(['rbac', ...flags, '--check', file]).out).toBe(`${file} is up to date\n`);
    expect(scratch.tektite(['rbac', '--systems', memcached, '--check', file]).err).toBe(
      `tektite: ${file} is out of date; update it with: tektite rbac --systems ${memcached} > ${file}\n`,
    );
  });

  it('belongs to what is committed with the example', () => {
    using scratch = new Scratch();
    for (const command of ['crds', 'rbac']) {
      const file = join(memcached, `deploy/${command}.yaml`);
      expect(scratch.tektite([command, '--systems', memcached, '--check', file])).toMatchObject({ code: 0, err: '' });
    }
  });
});

describe('tektite deploy', () => {
  it('prints what the server takes: definitions, rights, webhooks, a Deployment', async () => {
    using scratch = new Scratch();
    const flags = ['--image', 'example.com/tektite:1', '--auto-install', 'tekton-pipelines'];
    const { code, out, err } = scratch.tektite(['deploy', 'tekton-operator', ...flags]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await using up = await scratch.up();
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    for (const object of objectsIn(out)) await client.apply(object as never, { force: true });
    const key = { namespace: 'tekton-operator', name: 'tekton-operator' };
    const { spec } = await client.get(kinds.Deployment, key);
    const container = spec?.template.spec?.containers?.[0];
    expect(container).toMatchObject({ image: 'example.com/tektite:1', command: ['tektite'] });
    expect(container?.args?.slice(0, 4)).toEqual(['controller', '--systems', 'tekton-operator', '--no-install']);
    expect(container?.env).toContainEqual({ name: 'DEFAULT_TARGET_NAMESPACE', value: 'tekton-pipelines' });
    expect((await client.list(kinds.CustomResourceDefinition)).items.map(({ metadata }) => metadata.name)).toContain(
      'tektonconfigs.operator.tekton.dev',
    );
  });

  it('prints a page whose account may impersonate where a proxy logs users in, and nothing else', async () => {
    using scratch = new Scratch();
    const deployed = (...flags: readonly string[]) => scratch.tektite(['deploy', 'dashboard', ...flags]);
    const kindsOf = (text: string) => objectsIn(text).map(({ kind }) => kind);
    expect(kindsOf(deployed().out)).toEqual(['Namespace', 'ServiceAccount', 'Service', 'Deployment']);
    expect(deployed('--login', 'header').err).toContain('name the addresses of the proxy');
    const { out } = deployed('--login', 'header', '--trusted-proxy', '10.0.0.0/8', '--host-name', 'ci.example.com');
    await using up = await scratch.up();
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    for (const object of objectsIn(out)) await client.apply(object as never, { force: true });
    expect((await client.get(kinds.ClusterRole, { name: 'tektite-dashboard-impersonator' })).rules).toEqual([
      { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] },
    ]);
    const key = { namespace: 'tektite-dashboard', name: 'tektite-dashboard' };
    const { args } = (await client.get(kinds.Deployment, key)).spec?.template.spec?.containers?.[0] ?? {};
    expect(args?.slice(1, 3)).toEqual(['--login', 'header']);
    expect(args?.slice(-4)).toEqual(['--trusted-proxy', '10.0.0.0/8', '--host-name', 'ci.example.com']);
  });

  it('knows what it can print', () => {
    using scratch = new Scratch();
    const { code, err } = scratch.tektite(['deploy', 'constructor']);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'tektite: there is no "constructor"; give one of byoh, chains, connectors, dashboard, pipelines, results, tekton-operator, triggers\n',
    });
  });
});

describe('tektite up --systems', () => {
  it('runs operators in its own process: kinds, webhooks, controllers, explanations', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up('--systems', memcached);
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    const Memcached = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' };
    const create = (name: string, spec: object) =>
      client.create(Memcached, { metadata: { namespace: 'default', name }, spec } as never);
    const made = await create('web', { size: 2 });
    expect(made['spec']).toEqual({ size: 2, port: 11211, image: 'memcached:1.6' });
    await expect(create('bad', { image: 'memcached:latest' })).rejects.toThrow(
      'admission webhook "validation.cache.example.com" denied the request',
    );
    const replicas = async () =>
      (await client.list(kinds.Deployment, { namespace: 'default' })).items.map(({ spec }) => spec?.replicas);
    await eventually(replicas).toEqual([2]);
    const [, status = ''] = /health\s+(http:\S+)\/healthz/.exec(up.output) ?? [];
    const names = [
      'workqueue_depth',
      'controller_runtime_reconcile_total',
      'rest_client_requests_total',
      'informer_synced',
    ];
    // A reconcile is counted when it completes, which may be after its Deployment exists.
    const missing = async () => {
      const metrics = await (await request(`${status}/metrics`)).body.text();
      return names.filter((name) => !new RegExp(`^${name}\\{`, 'm').test(metrics));
    };
    await eventually(missing).toEqual([]);
    const places: readonly { args: string[]; env: Record<string, string> }[] = [
      { args: ['--data-dir', join(scratch.path, 'data')], env: {} },
      { args: [], env: { KUBECONFIG: up.kubeconfig } },
    ];
    for (const { args, env } of places)
      expect(scratch.tektite(['explain', 'memcached', 'web', ...args], env).out).toMatch(/memcached {2}done/);
    const { code, milliseconds } = await up.stop();
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(5000);
    expect(existsSync(join(scratch.path, 'data/status-url'))).toBe(false);
    const asked = scratch.tektite(['explain', 'memcached', 'web', '--controller', status]);
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toMatch(/^tektite: http:\S+ cannot be asked \(ECONNREFUSED\)\. Name the status address/);
    expect(scratch.tektite(['explain', 'memcached', 'web', '-o', 'yaml']).err).toBe(
      'tektite: -o must be text or json, not "yaml"\n',
    );
  });
});

describe('an operator that hangs', () => {
  it('is reported by /healthz, and does not keep the command from ending', async () => {
    using scratch = new Scratch();
    symlinkSync(join(repository, 'node_modules'), join(scratch.path, 'node_modules'));
    const file = join(scratch.path, 'hangs.mjs');
    writeFileSync(
      file,
      `import { kinds } from '@tektite/client';
       import { defineController } from '@tektite/controller';
       const reconcile = () => new Promise(() => {});
       const controller = defineController({ name: 'hangs', kind: kinds.ConfigMap, namespace: 'default', timeoutMs: 500, reconcile });
       export const system = { name: 'hangs', kinds: [], controllers: [controller] };`,
    );
    await using up = await scratch.up('--systems', file);
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    const [, status = ''] = /health\s+(http:\S+)\/healthz/.exec(up.output) ?? [];
    await eventually(async () => (await request(`${status}/healthz`)).body.text()).toMatch(
      /\[-\]controller\/hangs running, \d+ waiting; these hang: .*default\/a/,
    );
    const { code, milliseconds } = await up.stop();
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(10_000);
  });
});

describe('tektite new operator', () => {
  const run = (folder: string, command: string, ...args: string[]) =>
    spawnSync(join(repository, 'node_modules/.bin', command), args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', TEKTITE_OFFLINE: '1' },
    });

  it('writes an operator that compiles, passes its tests, and runs', { timeout: 60_000 }, async () => {
    using scratch = new Scratch();
    const flags = ['--group', 'shops.example.com', '--version', 'v1beta1', '--kind', 'CoffeeShop'];
    const { code, out, err } = scratch.tektite(['new', 'operator', 'shop-operator', ...flags]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Next:\n  cd shop-operator\n  npm install\n  npm test ');
    const folder = join(scratch.path, 'shop-operator');
    expect(out).toContain('  shop-operator/src/coffee-shop.ts\n');
    // In the place of `npm install`: the packages as they are here.
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    expect(run(folder, 'tsc')).toMatchObject({ status: 0, stdout: '' });
    const tests = run(folder, 'vitest', 'run');
    expect(tests.stdout + tests.stderr).toContain('3 passed');
    const { scripts, dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(scripts.dev).toContain('tektite up --in-memory --systems .');
    for (const name of Object.keys({ ...dependencies, ...devDependencies }))
      expect(existsSync(join(folder, 'node_modules', name, 'package.json')), name).toBe(true);

    await using up = await scratch.up('--systems', folder);
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    const metadata = { namespace: 'default', name: 'first' };
    const CoffeeShop = { apiVersion: 'shops.example.com/v1beta1', kind: 'CoffeeShop' };
    expect((await client.create(CoffeeShop, { metadata, spec: {} } as never))['spec']).toEqual({ message: 'hello' });
    const data = async () => (await client.get(kinds.ConfigMap, metadata).catch(() => undefined))?.data;
    await eventually(data).toEqual({ message: 'hello' });
    const status = async () => (await client.get(CoffeeShop, metadata))['status'];
    await eventually(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
    for (const command of ['crds', 'rbac'])
      expect(scratch.tektite([command, '--systems', folder]), command).toMatchObject({ code: 0, err: '' });
  });

  it('takes all names from one', () => {
    using scratch = new Scratch();
    expect(scratch.tektite(['new', 'operator', 'tea-house-operator', '--out', 'here/there']).code).toBe(0);
    const source = readFileSync(join(scratch.path, 'here/there/src/tea-house.ts'), 'utf8');
    expect(source).toContain("group: 'example.com',\n  version: 'v1alpha1',\n  kind: 'TeaHouse',");
    expect(readFileSync(join(scratch.path, 'here/there/src/index.ts'), 'utf8')).toContain("name: 'tea-house',");
  });

  it('overwrites nothing', () => {
    using scratch = new Scratch();
    mkdirSync(join(scratch.path, 'shop'));
    writeFileSync(join(scratch.path, 'shop/notes.txt'), 'mine');
    const { code, out, err } = scratch.tektite(['new', 'operator', 'shop']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(`tektite: ${scratch.path}/shop is not empty; name another folder with --out\n`);
    expect(existsSync(join(scratch.path, 'shop/package.json'))).toBe(false);
    cpSync(join(scratch.path, 'shop/notes.txt'), join(scratch.path, 'file'));
    expect(scratch.tektite(['new', 'operator', 'file']).err).toMatch(/^tektite: --out: .*file: /);
  });

  it.each([
    [['Shop'], /a name is made of small letters, digits and dashes/],
    [['../shop'], /a name is made of small letters/],
    [['shop', '--group', 'shops'], /--group must be a domain of yours, as cache\.example\.com, not "shops"/],
    [['shop', '--group', 'apps.k8s.io'], /--group: apps\.k8s\.io belongs to Kubernetes/],
    [['shop', '--version', '1'], /--version must be as v1alpha1, v1beta1 or v1, not "1"/],
    [['shop', '--kind', 'shop'], /--kind must be a word that begins with a capital/],
    [['shop', '--kind', "X';import'fs"], /--kind must be a word/],
    [['system'], /--kind: System means something else/],
    [[], /missing required argument 'name'/],
  ])('says which names are possible: %j', (args, message) => {
    using scratch = new Scratch();
    const { code, err } = scratch.tektite(['new', 'operator', ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
  });
});
