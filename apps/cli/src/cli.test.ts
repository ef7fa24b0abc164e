import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseYaml } from '@tektite/schema/yaml';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The command as people run it, which is as it was built last. */

const root = new URL('../../..', import.meta.url).pathname;
const bin = join(root, 'apps/cli/bin/tektite.js');
let home: string;
let folders = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tektite-cli-'));
});

afterAll(() => rm(home, { recursive: true, force: true }));

function folder(): string {
  const path = join(home, `f${folders++}`);
  mkdirSync(path);
  return path;
}

interface Kubeconfig {
  readonly 'current-context': string;
  readonly clusters: { name: string; cluster: Record<string, string> }[];
  readonly users: { name: string; user: Record<string, string> }[];
  readonly contexts: { name: string; context: Record<string, string> }[];
  readonly [field: string]: unknown;
}

function readKubeconfig(file: string): Kubeconfig {
  return parseYaml(readFileSync(file, 'utf8'))[0]?.value as Kubeconfig;
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Another user, where this test may switch users. */
interface As {
  readonly uid: number;
  readonly gid: number;
}

function tektite(args: string[], env: Record<string, string> = {}, as?: As): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    timeout: 15_000,
    env: { PATH: process.env.PATH, HOME: home, TEKTITE_OFFLINE: '1', ...env },
    ...as,
  });
  return { code: status, out: stdout, err: stderr };
}

/** A `tektite up` that runs. */
class Up {
  readonly child: ReturnType<typeof spawn>;
  out = '';
  err = '';

  private constructor(args: string[], env: Record<string, string>, as?: As) {
    this.child = spawn(process.execPath, [bin, 'up', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: home, TEKTITE_OFFLINE: '1', ...env },
      ...as,
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
  }

  static async start(args: string[], env: Record<string, string> = {}, as?: As): Promise<Up> {
    const up = new Up(args, env, as);
    while (!up.out.includes('Ctrl-C')) {
      if (up.child.exitCode !== null) throw new Error(`it ended with ${up.child.exitCode}: ${up.err}`);
      await Promise.race([once(up.child, 'exit'), once(up.child.stdout as NodeJS.ReadableStream, 'data')]);
    }
    return up;
  }

  /** Does not wait until it serves. */
  static launch(args: string[], env: Record<string, string> = {}): Up {
    return new Up(args, env);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; milliseconds: number }> {
    const start = performance.now();
    const ended = this.child.exitCode === null ? once(this.child, 'exit') : undefined;
    this.child.kill(signal);
    await ended;
    return { code: this.child.exitCode, milliseconds: performance.now() - start };
  }
}

async function ask(kubeconfig: string, path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: object) {
  const { clusters, users } = readKubeconfig(kubeconfig);
  const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
  const cluster = clusters.find(({ name }) => name === 'tektite')?.cluster ?? {};
  const user = users.find(({ name }) => name === 'tektite')?.user ?? {};
  const dispatcher = new Agent({
    connect: {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    },
  });
  try {
    const answer = await request(`${cluster.server}${path}`, {
      dispatcher,
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    return { code: answer.statusCode, object: (await answer.body.json()) as Record<string, unknown> };
  } finally {
    await dispatcher.close();
  }
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('tektite', () => {
  it('says what it can do', () => {
    const { code, out, err } = tektite(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Usage: tektite');
    for (const word of ['up', 'compact', '--version', 'Examples:']) expect(out).toContain(word);
    expect(tektite(['up', '--help']).out).toContain('--data-dir');
    expect(tektite(['--version']).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['no-such-command'], /unknown command 'no-such-command'/],
    [['up', '--no-such-option'], /unknown option '--no-such-option'/],
    [['up', '--port'], /argument missing/],
    [['up', '--port', 'http'], /^tektite: --port must be a number from 0 to 65535, not "http"\n$/],
    [['up', '--port', '-1'], /--port must be a number|argument missing/],
    [['up', '--port', '65536'], /--port must be a number/],
    [['up', '--port', ''], /--port must be a number/],
    [['up', '--port', '1e3'], /--port must be a number/],
    [['up', '--in-memory', '--host', 'no.such.host.invalid'], /^tektite: --host: this machine has no address/],
    [['up', '--in-memory', '--host', '203.0.113.7', '--port', '0'], /^tektite: --host: this machine has no address/],
    [
      ['up', '--token-auth-file', '/no/such/file'],
      /^tektite: --token-auth-file: \/no\/such\/file: there is no such file\n$/,
    ],
    [
      ['up', '--disable-admission-plugins', 'NamespaceLifecycle,Nonsense'],
      /^tektite: --disable-admission-plugins: there is no plugin "Nonsense"\n$/,
    ],
    [['compact', '--data-dir', '/no/such/folder'], /^tektite: \/no\/such\/folder\/kubeconfig does not exist/],
  ])('reports an error in a sentence: %j', (args, message) => {
    const { code, out, err } = tektite(args);
    // Usage is 2; what this machine refuses is 1.
    expect([1, 2]).toContain(code);
    if (/unknown|missing|must be/.test(err)) expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe('tektite up', () => {
  it('serves, writes a kubeconfig for its owner alone, says what to do next, and keeps what was written', async () => {
    const data = join(folder(), 'data');
    const first = await Up.start(['--data-dir', data, '--port', '0']);
    const kubeconfig = join(data, 'kubeconfig');
    expect(first.out).toContain(`kubectl --kubeconfig ${kubeconfig} get namespaces`);
    expect(first.out).toContain(`export KUBECONFIG=${kubeconfig}`);
    expect(readKubeconfig(kubeconfig)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'tektite',
      clusters: [{ name: 'tektite', cluster: { server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) } }],
      contexts: [{ name: 'tektite', context: { cluster: 'tektite', user: 'tektite' } }],
    });
    for (const file of ['kubeconfig', 'pki/ca.key', 'pki/admin.key'])
      expect(statSync(join(data, file)).mode & 0o077, file).toBe(0);
    expect(statSync(data).mode & 0o077).toBe(0);
    expect((await ask(kubeconfig, configMaps, 'POST', configMap('kept'))).code).toBe(201);
    const authority = readFileSync(join(data, 'pki/ca.crt'), 'utf8');
    expect(await first.stop()).toMatchObject({ code: 0 });

    const second = await Up.start(['--data-dir', data, '--port', '0']);
    expect((await ask(kubeconfig, `${configMaps}/kept`)).code).toBe(200);
    expect(readFileSync(join(data, 'pki/ca.crt'), 'utf8')).toBe(authority);
    expect(await second.stop()).toMatchObject({ code: 0 });
    expect(readFileSync(join(data, 'state', 'lock'), 'utf8')).toBe('');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops within a second at %s, whatever is open, and exits with 0',
    async (signal) => {
      const data = folder();
      const up = await Up.start(['--data-dir', data, '--port', '0']);
      const { clusters } = readKubeconfig(join(data, 'kubeconfig'));
      const watching = fetchWatch(join(data, 'kubeconfig'), clusters[0]?.cluster.server ?? '');
      await watching.opened;
      const { code, milliseconds } = await up.stop(signal);
      await watching.ended;
      expect(code).toBe(0);
      expect(milliseconds).toBeLessThan(1000);
      expect(up.err.trim()).toBe('stopping…');
    },
  );

  function fetchWatch(kubeconfig: string, server: string) {
    const { clusters, users } = readKubeconfig(kubeconfig);
    const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
    const dispatcher = new Agent({
      connect: {
        ca: decode(clusters[0]?.cluster['certificate-authority-data']),
        cert: decode(users[0]?.user['client-certificate-data']),
        key: decode(users[0]?.user['client-key-data']),
      },
    });
    const opened = request(`${server}/api/v1/configmaps?watch=1`, { dispatcher });
    const ended = opened.then(async ({ body }) => {
      await body.text().catch(() => '');
      await dispatcher.destroy();
    });
    return { opened, ended };
  }

  it('leaves nothing behind with --in-memory, also when it is stopped while it starts', async () => {
    const temporary = folder();
    const env = { TMPDIR: temporary };
    const up = await Up.start(['--in-memory', '--port', '0'], env);
    expect(readdirSync(temporary)).toHaveLength(1);
    const [name] = readdirSync(temporary);
    expect((await ask(join(temporary, name as string, 'kubeconfig'), '/version')).code).toBe(200);
    expect(await up.stop()).toMatchObject({ code: 0 });
    expect(readdirSync(temporary)).toEqual([]);
    for (const delay of [100, 180, 260, 340]) {
      const early = Up.launch(['--in-memory', '--port', '0'], env);
      await new Promise((resolve) => setTimeout(resolve, delay));
      await early.stop('SIGINT');
      expect(readdirSync(temporary)).toEqual([]);
    }
    expect(existsSync(join(home, '.tektite'))).toBe(false);
  });

  it('lets bearers of static tokens in', async () => {
    const data = folder();
    const tokens = join(data, 'tokens.csv');
    writeFileSync(tokens, 'hunter2,jane,u1,"system:masters"\n');
    const up = await Up.start(['--data-dir', data, '--port', '0', '--token-auth-file', tokens]);
    const { clusters } = readKubeconfig(join(data, 'kubeconfig'));
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const code = async (token: string) =>
      (
        await request(`${clusters[0]?.cluster.server}/api/v1/nodes`, {
          dispatcher,
          headers: { authorization: `Bearer ${token}` },
        })
      ).statusCode;
    expect([await code('hunter2'), await code('hunter3')]).toEqual([200, 401]);
    await dispatcher.destroy();
    await up.stop();
    expect(up.out + up.err).not.toContain('hunter');
    writeFileSync(tokens, 'fine,bob,1\nbad line\n');
    const { code: exit, err } = tektite(['up', '--data-dir', data, '--token-auth-file', tokens]);
    expect(exit).toBe(2);
    expect(err).toBe(
      `tektite: --token-auth-file: ${tokens}, line 2: expected token,user,uid and optionally "group1,group2"\n`,
    );
  });

  it('says who has the port, or the folder', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const temporary = folder();
    const inMemory = tektite(['up', '--in-memory', '--port', String(port)], { TMPDIR: temporary });
    expect(inMemory).toMatchObject({
      code: 1,
      out: '',
      err: `tektite: port ${port} is taken; choose another with --port, or 0 for any free one\n`,
    });
    expect(readdirSync(temporary)).toEqual([]);
    const data = folder();
    expect(tektite(['up', '--data-dir', data, '--port', String(port)]).err).toContain('is taken');
    expect(readFileSync(join(data, 'state', 'lock'), 'utf8')).toBe('');
    taken.close();

    const up = await Up.start(['--data-dir', data, '--port', '0']);
    const second = tektite(['up', '--data-dir', data, '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.err).toBe(
      `tektite: ${data}/state is in use by process ${up.child.pid}. Stop that one first, or choose another folder with --data-dir (or none with --in-memory).\n`,
    );
    expect((await ask(join(data, 'kubeconfig'), '/version')).code).toBe(200);
    await up.stop('SIGKILL');
    const third = await Up.start(['--data-dir', data, '--port', '0']);
    expect(await third.stop()).toMatchObject({ code: 0 });
  });

  it.each([['--data-dir'], ['--write-kubeconfig']])(
    'says at once that there can be no folder in /proc, for %s',
    (option) => {
      const data = join(folder(), 'data');
      const paths = { '--data-dir': data, [option]: '/proc/tektite/x' };
      const { code, err } = tektite(['up', '--port', '0', ...Object.entries(paths).flat()]);
      expect(code).toBe(option === '--write-kubeconfig' ? 2 : 1);
      expect(err).toMatch(/\/proc\/tektite.*: folders cannot be created there/);
      expect(err).not.toContain('    at ');
    },
  );

  it('says what is wrong with a folder, and does not change what it finds', () => {
    const cases: [string, (data: string) => void, RegExp][] = [
      [
        'a file',
        (data) => writeFileSync(data, 'x'),
        /: a file is in the way\. Choose another folder with --data-dir\.$/,
      ],
      ['a folder in a file', (data) => writeFileSync(join(data, '..'), 'x'), /: a part of the path is a file/],
      [
        'a damaged journal',
        (data) => {
          mkdirSync(join(data, 'state'), { recursive: true });
          writeFileSync(join(data, 'state', '0000000000000001.log'), 'garbage');
        },
        /0001\.log is damaged: .*\. Restore the folder from a backup, or start empty by moving it away\.$/,
      ],
      [
        'damaged keys',
        (data) => {
          mkdirSync(join(data, 'pki'), { recursive: true });
          for (const file of ['ca.crt', 'ca.key']) writeFileSync(join(data, 'pki', file), 'garbage');
        },
        /the keys in .*pki cannot be used \(ca\.crt and ca\.key do not belong together\)\. Restore them from a backup/,
      ],
    ];
    for (const [name, prepare, message] of cases) {
      const base = join(folder(), 'x');
      const data = name === 'a folder in a file' ? join(base, 'y') : base;
      prepare(data);
      const { code, err } = tektite(['up', '--data-dir', data, '--port', '0']);
      expect(code, name).toBe(1);
      expect(err.trimEnd(), name).toMatch(message);
      expect(err, name).not.toMatch(/^\s+at /m);
    }
  });

  it('leaves the permissions of a folder that was there before', async () => {
    const data = folder();
    chmodSync(data, 0o755);
    const up = await Up.start(['--data-dir', data, '--port', '0']);
    expect(statSync(data).mode & 0o777).toBe(0o755);
    for (const inner of ['state', 'pki']) expect(statSync(join(data, inner)).mode & 0o077, inner).toBe(0);
    await up.stop();
  });

  it('merges into a kubeconfig, and keeps what others have in it', async () => {
    const data = folder();
    const own = join(data, 'own');
    const link = join(data, 'link');
    writeFileSync(
      own,
      `apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: work
clusters:
- name: work
  cluster: {server: "https://work.example.com"}
- name: tektite
  cluster: {server: "https://old.example.com"}
users:
- name: me
  user: {token: abc}
contexts:
- name: work
  context: {cluster: work, user: me, namespace: team}
`,
    );
    symlinkSync(own, link);
    const up = await Up.start(['--data-dir', join(data, 'data'), '--port', '0', '--write-kubeconfig', link]);
    expect(up.out).toContain('kubectl --context tektite get namespaces');
    const merged = readKubeconfig(own);
    expect(merged).toMatchObject({ 'current-context': 'tektite', preferences: { colors: true } });
    expect(merged.clusters.map(({ name }) => name)).toEqual(['work', 'tektite']);
    expect(merged.clusters[1]?.cluster.server).toMatch(/^https:\/\/127/);
    expect(merged.users.map(({ name }) => name)).toEqual(['me', 'tektite']);
    expect(merged.contexts[0]).toEqual({ name: 'work', context: { cluster: 'work', user: 'me', namespace: 'team' } });
    expect(statSync(own).mode & 0o077).toBe(0);
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(own, 'utf8'));
    expect((await ask(own, '/version')).code).toBe(200);
    await up.stop();
    const none = join(data, 'new', 'config');
    const again = await Up.start(['--data-dir', join(data, 'data'), '--port', '0', '--write-kubeconfig', none]);
    expect(readKubeconfig(none)['current-context']).toBe('tektite');
    await again.stop();
  });

  it.each([
    ['no YAML', 'a: [', /cannot be read as a kubeconfig: yaml:/],
    ['no mapping', 'just text', /cannot be read as a kubeconfig: it is no YAML mapping/],
    ['lists that are none', 'clusters: x', /clusters is no list of named entries/],
  ])('refuses to merge into a file that is %s, leaves it as it is, and ends', (_, text, message) => {
    const data = folder();
    const file = join(data, 'config');
    writeFileSync(file, text);
    const { code, err } = tektite(['up', '--data-dir', join(data, 'data'), '--port', '0', '--write-kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readFileSync(join(data, 'data', 'state', 'lock'), 'utf8')).toBe('');
  });

  it('reports a kubeconfig that cannot be written, and exits', () => {
    const data = folder();
    const { code, err } = tektite(['up', '--data-dir', join(data, 'data'), '--port', '0', '--write-kubeconfig', data]);
    expect(code).toBe(2);
    expect(err).toMatch(/^tektite: --write-kubeconfig: .*: it is a folder\n$/);
  });
});

describe('kill -9', () => {
  it('while clients write loses no acknowledged write', async () => {
    const data = folder();
    const kubeconfig = join(data, 'kubeconfig');
    const acknowledged = new Map<string, number>();
    let highest = 0;
    for (let round = 0; round < 4; round++) {
      const up = await Up.start(['--data-dir', data, '--port', '0']);
      const { object } = await ask(kubeconfig, configMaps);
      expect(Number((object.metadata as { resourceVersion: string }).resourceVersion)).toBeGreaterThanOrEqual(highest);
      const client = async (id: number) => {
        for (let i = 0; ; i++) {
          const name = `r${round}-c${id}-${i}`;
          const answer = await ask(kubeconfig, configMaps, 'POST', configMap(name)).catch(() => undefined);
          if (!answer) return;
          expect(answer.code).toBe(201);
          const revision = Number((answer.object.metadata as { resourceVersion: string }).resourceVersion);
          acknowledged.set(name, revision);
          highest = Math.max(highest, revision);
        }
      };
      const clients = [1, 2, 3, 4, 5, 6].map(client);
      while (acknowledged.size < 20 * (round + 1)) await new Promise((resolve) => setTimeout(resolve, 7 + round * 5));
      await up.stop('SIGKILL');
      await Promise.all(clients);
    }
    const up = await Up.start(['--data-dir', data, '--port', '0']);
    const { object } = await ask(kubeconfig, configMaps);
    const found = new Map(
      (object.items as { metadata: { name: string; resourceVersion: string } }[]).map(({ metadata }) => [
        metadata.name,
        Number(metadata.resourceVersion),
      ]),
    );
    expect(acknowledged.size).toBeGreaterThanOrEqual(80);
    for (const [name, revision] of acknowledged) expect(found.get(name), name).toBe(revision);
    await up.stop();
  }, 60_000);
});

describe('tektite compact', () => {
  it('returns the space of a folder whose control plane does not run, and keeps every object', async () => {
    const data = folder();
    const up = await Up.start(['--data-dir', data, '--port', '0']);
    const kubeconfig = join(data, 'kubeconfig');
    const fill = 'x'.repeat(900_000);
    for (let i = 0; i < 12; i++) {
      await ask(kubeconfig, configMaps, 'POST', { ...configMap(`a${i}`), data: { fill } });
      if (i > 0) await ask(kubeconfig, `${configMaps}/a${i}`, 'DELETE');
    }
    await up.stop();
    const { code, out } = tektite(['compact', '--data-dir', data]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^compacted: revisions before \d+ are deleted, \d\d\.\d MB → [12]\.\d MB\n$/),
    ]);
    const again = await Up.start(['--data-dir', data, '--port', '0']);
    const { object } = await ask(kubeconfig, `${configMaps}/a0`);
    expect((object.data as { fill: string }).fill).toBe(fill);
    await again.stop();
  });

  it('makes a running control plane forget, so that 410 can be seen', async () => {
    const data = folder();
    const up = await Up.start(['--data-dir', data, '--port', '0']);
    const kubeconfig = join(data, 'kubeconfig');
    const first = await ask(kubeconfig, configMaps, 'POST', configMap('a'));
    await ask(kubeconfig, configMaps, 'POST', configMap('b'));
    const { resourceVersion } = first.object.metadata as { resourceVersion: string };
    const old = `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`;
    expect((await ask(kubeconfig, old)).code).toBe(200);
    const { code, out } = tektite(['compact', '--data-dir', data]);
    expect(code).toBe(0);
    expect(out).toMatch(/^compacted: revisions before \d+ are no longer served\n$/);
    expect((await ask(kubeconfig, old)).code).toBe(410);
    expect(tektite(['compact'], { KUBECONFIG: kubeconfig }).code).toBe(0);
    await up.stop();
    expect(tektite(['compact', '--kubeconfig', kubeconfig])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^tektite: cannot talk to https:\S+: .*ECONNREFUSED.*; is the API server running/),
    });
    const other = join(data, 'other');
    writeFileSync(other, 'clusters: []\n');
    expect(tektite(['compact', '--kubeconfig', other])).toMatchObject({ code: 1, err: expect.stringContaining(other) });
  });
});

/** Only root can switch users. */
const unprivileged = spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout.trim();
const canChange = process.getuid?.() === 0 && unprivileged !== '';

describe('as an ordinary user', () => {
  if (!canChange) {
    it('it is what all of the above was run as, or there is no other user here', () => {
      console.warn('tektite up as another user: not tested, this process cannot become nobody');
      expect(canChange).toBe(false);
    });
    return;
  }
  const as = {
    uid: Number(unprivileged),
    gid: Number(spawnSync('id', ['-g', 'nobody'], { encoding: 'utf8' }).stdout.trim()),
  };

  function canRead(): boolean {
    return spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(bin)})`], as).status === 0;
  }

  it('serves from a folder of the user, and reports what is not permitted', async () => {
    if (!canRead()) {
      console.warn('tektite up as another user: not tested, the repository is not readable for others');
      return;
    }
    chmodSync(home, 0o755);
    const own = folder();
    spawnSync('chown', [`${as.uid}`, own]);
    const up = await Up.start(['--data-dir', join(own, 'data'), '--port', '0'], { HOME: own }, as);
    expect((await ask(join(own, 'data', 'kubeconfig'), '/version')).code).toBe(200);
    expect(statSync(join(own, 'data', 'kubeconfig')).uid).toBe(as.uid);
    expect(await up.stop()).toMatchObject({ code: 0 });

    const foreign = folder();
    chmodSync(foreign, 0o700);
    const refused = tektite(['up', '--data-dir', join(foreign, 'data'), '--port', '0'], {}, as);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^tektite: .*: no permission\. Choose another folder with --data-dir\.\n$/);
    const low = tektite(['up', '--in-memory', '--port', '81'], { TMPDIR: own }, as);
    if (low.code === 1) expect(low.err).toMatch(/no permission to listen on port 81; choose one above 1023/);
    expect(readdirSync(own)).toEqual(['data']);
  });

  it('runs a Task', () => {
    if (!canRead()) {
      console.warn('tektite run as another user: not tested, the repository is not readable for others');
      return;
    }
    const file = join(folder(), 'run.yaml');
    const steps = [{ name: 'who', image: 'busybox', script: '#!/bin/sh\nid -u' }];
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'tekton.dev/v1',
        kind: 'TaskRun',
        metadata: { name: 'mine' },
        spec: { taskSpec: { steps } },
      }),
    );
    for (const path of [home, dirname(file)]) chmodSync(path, 0o755);
    const { code, out, err } = tektite(['run', '-f', file], { HOME: '/nonexistent' }, as);
    // Where the kernel forbids what containers of ordinary users are made of, that has to be said, with the ways out.
    if (code !== 0) expect(err).toMatch(/user namespaces.*Ways out/is);
    else expect(out).toMatch(/^\[who\] 0$/m);
  });
});
