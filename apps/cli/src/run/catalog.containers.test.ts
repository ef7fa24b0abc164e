import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts } from '@tektite/testkit';
import {
  busyboxLayer,
  digestOf,
  DockerRegistry,
  imageOf,
  layerOf,
  pushImage,
  TestFolder,
  type TestLayer,
} from '@tektite/testkit/images';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repository } from '../test-support.ts';

const examples = join(repository, 'examples/catalog');
const bin = join(repository, 'apps/cli/bin/tektite.js');
const folder = new TestFolder();
let registry: DockerRegistry;
let git: Disposable & { readonly url: string };

/** The programs of busybox that the Tasks use, under their names. */
const commands = ['cat', 'env', 'ls', 'rm', 'tr', 'wc'];

function shellLayers(): readonly TestLayer[] {
  const links = commands.map((name) => ({ name: `bin/${name}`, type: '2' as const, link: '/bin/busybox' }));
  const env = { name: 'usr/bin/env', type: '2' as const, link: '/bin/busybox' };
  const folders = ['usr/', 'usr/bin/', 'tmp/', 'root/'].map((name) => ({ name, type: '5' as const, mode: 0o755 }));
  const libraries = ['lib', 'lib64'].map((name) => ({ name, type: '2' as const, link: `usr/${name}` }));
  return [busyboxLayer(), layerOf([...folders, ...libraries, ...links, env])];
}

/** A path, and those that it leads to by links, one after the other. */
function withTargets(path: string): readonly string[] {
  const isLink = lstatSync(path).isSymbolicLink();
  return isLink ? [path, ...withTargets(resolve(dirname(path), readlinkSync(path)))] : [path];
}

/** Files and folders of this machine, with the libraries of those that are programs, as a layer. */
function machineLayer(...paths: readonly string[]): TestLayer {
  const named = paths.flatMap(withTargets);
  const libraries = named.flatMap((path) => {
    const { stdout, status } = spawnSync('ldd', [path], { encoding: 'utf8' });
    return status === 0 ? [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, library = '']) => library) : [];
  });
  const all = [...named, ...libraries.flatMap(withTargets)];
  const words = ['-C', '/', '-c', '--owner=0', '--group=0', '--numeric-owner'];
  // As in Debian, /lib is a link to /usr/lib; links between libraries count on it.
  const files = [...new Set(all.map((path) => path.slice(1).replace(/^lib/, 'usr/lib')))];
  const blob = execFileSync('tar', [...words, ...files], { maxBuffer: 2 ** 30 });
  return { blob, diffId: digestOf(blob), mediaType: 'application/vnd.oci.image.layer.v1.tar' };
}

const which = (program: string) =>
  execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8', env: process.env }).trim();

/** The parts of the machine's C compiler that static programs need. */
function compilerLayer(): TestLayer {
  const ask = (kind: string, name: string) =>
    realpathSync(execFileSync('cc', [`-print-${kind}-name=${name}`], { encoding: 'utf8' }).trim());
  const programs = ['cc1', 'collect2', 'lto-wrapper'].map((name) => ask('prog', name));
  const files = ['crt1.o', 'crti.o', 'crtn.o', 'crtbeginT.o', 'crtend.o', 'libc.a', 'libgcc.a', 'libgcc_eh.a'];
  const library = ask('file', 'libgcc.a').replace(/\/[^/]*$/, '');
  const tools = ['cc', 'as', 'ld'].map(which);
  return machineLayer(
    ...tools,
    ...programs,
    ...files.map((name) => ask('file', name)),
    ask('file', 'liblto_plugin.so'),
    join(library, 'include'),
    '/usr/include',
  );
}

/** A server for a repository with a package, a C program and a Dockerfile. */
async function serveProject(): Promise<Disposable & { readonly url: string }> {
  const project = folder.join('git/project');
  mkdirSync(project, { recursive: true });
  const files = {
    'package.json': '{"name": "hello", "scripts": {"test": "node --test"}}',
    'sum.test.js': "require('node:test')('adds', () => require('node:assert').equal(1 + 2, 3));\n",
    'hello.c':
      '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("compiled, as %d\\n", (int)getuid()); return 0; }\n',
    Dockerfile: 'FROM scratch\nCOPY hello /app/\nLABEL made=here\nUSER 1000\nENTRYPOINT ["/app/hello"]\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], {
      cwd: project,
      encoding: 'utf8',
    });
  run('init', '--quiet');
  run('add', '.');
  run('commit', '--quiet', '-m', 'Say hello');
  const [port = 0] = await freePorts(1);
  const daemon = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-daemon');
  const options = ['--reuseaddr', '--listen=127.0.0.1', `--port=${port}`, '--export-all'];
  const child = spawn(daemon, [...options, `--base-path=${folder.join('git')}`], { stdio: 'ignore' });
  const url = `git://127.0.0.1:${port}/project`;
  await vi.waitFor(() => execFileSync('git', ['ls-remote', url], { stdio: 'ignore' }), { timeout: 15_000 });
  return { url, [Symbol.dispose]: () => void child.kill() };
}

beforeAll(async () => {
  chmodSync(folder.path, 0o755);
  registry = await DockerRegistry.start();
  git = await serveProject();
  const shell = shellLayers();
  const npm = realpathSync(which('npm')).replace(/\/bin\/[^/]*$/, '');
  const config = { Env: ['PATH=/usr/bin:/bin', 'HOME=/tmp'] };
  const images = {
    git: machineLayer(which('git')),
    node: machineLayer(which('node'), which('npm'), npm),
    cc: compilerLayer(),
  };
  for (const [name, layer] of Object.entries(images))
    await pushImage(registry.origin, `tools/${name}`, '1', imageOf([...shell, layer], config));
}, 120_000);
afterAll(async () => {
  git[Symbol.dispose]();
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ordinary = { uid: 65_534, gid: 65_534 };
/** The repository may lie in a folder of root's. */
const others =
  process.getuid?.() === 0 && spawnSync(process.execPath, [bin, '--version'], { ...ordinary, cwd: '/' }).status === 0;
const users: [string, { uid?: number; gid?: number }][] = [
  ['this user', {}],
  ...(others ? [['an ordinary user', ordinary] as [string, typeof ordinary]] : []),
];

describe.each(users)('the Tasks of examples/catalog, by %s', (who, user) => {
  const home = folder.join(who.replaceAll(' ', '-'));
  beforeAll(() => {
    mkdirSync(home);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  });

  async function tektite(...args: readonly string[]) {
    const child = spawn(process.execPath, [bin, 'run', ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, NO_COLOR: '1', TEKTITE_OFFLINE: '1' },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: code as number, out, err };
  }

  it('clone, test, compile, build an image, push it and run it', { timeout: 120_000 }, async () => {
    const image = `${registry.host}/shop/${who.replaceAll(' ', '-')}:1`;
    const params = {
      url: git.url,
      image,
      insecure: 'true',
      'git-image': 'git',
      'node-image': 'node',
      'cc-image': 'cc',
    };
    const words = Object.entries(params).flatMap(([name, value]) => [
      '-p',
      `${name}=${name.endsWith('-image') ? `${registry.host}/tools/${value}:1` : value}`,
    ]);
    const { code, out, err } = await tektite(examples, '--name', 'ship', '-w', 'source=claim:source', ...words);
    expect([out, err].join('\n')).toContain('[clone : clone] checked out ');
    expect(out).toMatch(/\[test : test\] .*pass 1\n/);
    expect(out).toMatch(/\[image : build\] pushed .*@sha256:[0-9a-f]{64}\n/);
    expect(out).toContain('[run : container] compiled, as 1000\n');
    expect(out).toMatch(/commit = [0-9a-f]{40}\n/);
    expect([code, err.includes('is replaced by')]).toEqual([0, false]);
  });
});

it('the page of the examples names all of them', () => {
  const page = readFileSync(join(examples, 'README.md'), 'utf8');
  for (const name of readdirSync(examples).filter((each) => each.endsWith('.yaml')))
    expect(page).toContain(`(${name})`);
});
