import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { busyboxLayer, imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The command as people run it, which is as it was built last. */
const bin = new URL('../../bin/tektite.js', import.meta.url).pathname;
const folder = new TestFolder();
let registry: TestRegistry;

beforeAll(async () => {
  chmodSync(folder.path, 0o755);
  registry = await TestRegistry.start();
  const links = ['cat', 'id', 'ls'].map((name) => ({ name: `bin/${name}`, type: '2' as const, link: 'busybox' }));
  const base = [busyboxLayer(), layerOf(links)];
  const compiler = layerOf([
    { name: 'opt/', type: '5', mode: 0o755 },
    { name: 'opt/compile', content: '#!/bin/sh\necho "compiled $1 as $(id -u)" | tee "$2"\n', mode: 0o755 },
  ]);
  const config = { Entrypoint: ['/opt/compile'], Env: ['PATH=/bin'], User: 'app' };
  await pushImage(registry.origin, 'tools/shell', '1', imageOf(base, { Cmd: ['sh'], Env: ['PATH=/bin'] }));
  await pushImage(registry.origin, 'tools/compiler', '1', imageOf([...base, compiler], config));
});
afterAll(async () => {
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

describe.each(users)('run --runtime images, by %s', (who, user) => {
  const home = folder.join(who.replaceAll(' ', '-'));
  beforeAll(() => {
    mkdirSync(home);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  });

  async function tektite(task: string, ...args: readonly string[]) {
    const file = folder.join('task.yaml');
    writeFileSync(file, task);
    const child = spawn(process.execPath, [bin, 'run', '-f', file, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, NO_COLOR: '1' },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code, out, err };
  }
  const image = (name: string) => `${registry.host}/tools/${name}:1`;

  it('runs steps in their images, with their programs, users and entrypoints', async () => {
    const { code, out, err } = await tektite(
      `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: build}
spec:
  results: [{name: binary}]
  workspaces: [{name: source}]
  steps:
  - name: compile
    image: ${image('compiler')}
    args: [main.c, $(results.binary.path)]
  - name: hardened
    image: ${image('shell')}
    securityContext:
      runAsUser: 65532
      runAsNonRoot: true
      readOnlyRootFilesystem: true
      allowPrivilegeEscalation: false
      capabilities: {drop: [ALL]}
    command: [id, -u]
  - name: list
    image: ${image('shell')}
    script: |
      #!/bin/sh
      ls /opt /usr
`,
      '--runtime',
      'images',
      '-w',
      'source=emptyDir',
    );
    expect(out).toContain('[compile] compiled main.c as 1000\n');
    expect(out).toContain('[hardened] 65532\n');
    expect(out).toContain('[list] ls: /usr: No such file or directory\n');
    expect(err).not.toContain('is not used');
    expect(code).toBe(1);
  });

  it('names the ways out where an image cannot be had', async () => {
    const { code, out, err } = await tektite(
      `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: missing}
spec: {steps: [{name: one, image: "${registry.host}/tools/none:1", command: ["true"]}]}
`,
      '--runtime',
      'auto',
    );
    expect(code).toBe(1);
    expect(out + err).toMatch(/ErrImagePull.*not found.*tektite image load.*--images FILE.*--runtime host/s);
  });
});
